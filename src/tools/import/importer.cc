#include "tools/import/importer.h"

#include <limits>

#include "tools/import/inputs.h"

namespace orrery::tools {

namespace {

// How soon an interruption ends a wait.
constexpr std::chrono::milliseconds kRoomSlice{100};
// What a record takes besides its text.
constexpr std::size_t kRecordOverhead = 512;
// The position after an input whose end could not be reached. In a checkpoint, so it must fit in a
// signed number.
constexpr std::uint64_t kUnreadable = std::numeric_limits<std::int64_t>::max();

}  // namespace

Importer::Importer(ImportOptions options, const std::atomic<bool>& interrupted)
    : options_(std::move(options)),
      interrupted_(interrupted),
      client_(options_.account, clock_, {}, &interrupted) {}

Result<ImportReport> Importer::run() {
    TRY(prepare());
    {
        const cli::Progress progress(
            options_.dry_run ? "checked" : "imported", counts_, options_.quiet);
        start_senders();
        read_inputs();
        if (ended()) {
            outbox_.stop();
        } else {
            outbox_.close();
        }
        for (std::thread& sender : senders_) {
            sender.join();
        }
    }
    complete_ = !ended();
    if (auto finished = ledger_->finish(complete_); !finished) {
        complete_ = false;
        stop(finished.error().message());
    }
    return report();
}

Status Importer::prepare() {
    if (!options_.from) {
        counts_.total = TRY(measure_inputs(options_.inputs));
        TRY(check_outputs(options_));
    }
    const ContainerChoice choice = TRY(target_choice());
    Target target = TRY(open_target(client_, choice, options_.dry_run));
    const std::size_t keys = options_.rules.key_from.size();
    if (keys > 0 && keys != target.definition.partition_key.paths.size()) {
        return Error(ErrorCode::kBadRequest,
                     "--partition-key-field must name as many properties as the container's "
                     "partition key has");
    }
    builder_.emplace(target.definition, options_.rules);
    ledger_.emplace(
        LedgerOptions{.sources = options_.inputs,
                      .import = name_import(options_, target.rid),
                      .errors_file = options_.errors_file,
                      .checkpoint_file = options_.dry_run ? "" : options_.checkpoint_file,
                      .restart = options_.restart},
        counts_);
    TRY(ledger_->open());
    window_.emplace(kWindowBytesMax, [this](const Settled& settled) { ledger_->record(settled); });
    routes_.emplace(target.path);
    if (!options_.dry_run) TRY(routes_->refresh(client_));
    sending_.emplace(Sending{.items = target.path / "docs",
                             .mode = options_.mode,
                             .resumed = ledger_->resumed(),
                             .has_unique_keys = !target.definition.unique_keys.empty(),
                             .routes = *routes_,
                             .window = *window_,
                             .progress = counts_,
                             .throttled = throttled_,
                             .interrupted = interrupted_,
                             .stopped = stopped_});
    return {};
}

// Copied from another container, the target is like that unless the options say otherwise.
Result<ContainerChoice> Importer::target_choice() {
    ContainerChoice out = options_.target;
    if (!options_.from) return out;
    client::Client client(options_.from->account, clock_, {}, &interrupted_);
    const ContainerSource& source = *options_.from;
    auto definition = client.read(source.path());
    if (!definition) {
        return container_error(
            std::move(definition).take_error(), source.database, source.container);
    }
    out.like = *std::move(definition);
    return out;
}

void Importer::start_senders() {
    if (options_.dry_run) return;
    for (unsigned i = 0; i < options_.parallel; ++i) {
        senders_.emplace_back([this] { send_batches(); });
    }
}

void Importer::send_batches() {
    client::Client client(options_.account, clock_, {}, &interrupted_);
    Sender sender(client, *sending_);
    while (!sending_->ended()) {
        auto batch = outbox_.take();
        if (!batch) return;
        if (auto sent = sender.send(*std::move(batch)); !sent && !sending_->ended()) {
            stop(sent.error().message());
        }
    }
}

void Importer::read_inputs() {
    for (std::size_t i = 0; i < options_.inputs.size() && !ended(); ++i) {
        if (i < ledger_->start().source) {
            const auto size = measure_inputs({options_.inputs[i]});
            consumed_ += size ? *size : 0;
        } else {
            read_input(i);
        }
    }
}

void Importer::read_input(std::size_t number) {
    const auto done = read_records(number);
    if (done || ended()) return;
    // What cannot be read of this input is one more failure; the other inputs can still be read.
    const bool passed =
        ledger_->start().source == number && ledger_->start().records == kUnreadable;
    if (passed) return;
    make_room(0);
    const auto ticket =
        window_->enter({.after = {.source = number, .records = kUnreadable}, .line = line_}, 0);
    window_->settle(
        ticket,
        {.fate = Fate::kFailed, .reason = "the input cannot be read: " + done.error().message()});
}

Status Importer::read_records(std::size_t number) {
    line_ = 0;
    const SourceOptions source{.ended = [this] { return ended(); },
                               .before_waiting = [this] { outbox_.flush(); }};
    Input input = TRY(open_input(options_.inputs[number], options_, source, interrupted_));
    inputs_.push_back(input.report);
    const Position start = ledger_->start();
    const std::uint64_t known = start.source == number ? start.records : 0;
    std::uint64_t records = 0;
    while (!ended()) {
        line_ = input.line();
        auto record = TRY(input.records->next());
        if (!record) break;
        if (++records <= known) continue;
        Settled settled{.after = {.source = number, .records = records},
                        .line = record->line,
                        .consumed = consumed_ + input.consumed()};
        take(*std::move(record), std::move(settled), input.report.format.mongo);
    }
    consumed_ += input.consumed();
    return {};
}

void Importer::take(Record record, Settled settled, bool mongo) {
    const std::size_t bytes = record.text.size() + kRecordOverhead;
    make_room(bytes);
    const Origin origin{.source = options_.inputs[settled.after.source],
                        .record = settled.after.records};
    const Window::Ticket ticket = window_->enter(std::move(settled), bytes);
    if (record.problem.empty()) {
        auto item = builder_->build(record.text, mongo, origin);
        if (item && !options_.dry_run) {
            const std::string range = routes_->range_of(item->epk);
            return outbox_.add(range, {.ticket = ticket, .item = *std::move(item)});
        }
        if (item) return window_->settle(ticket, {.fate = Fate::kLoaded});
        record.problem = item.error().message();
    }
    window_->settle(ticket,
                    {.fate = Fate::kFailed,
                     .reason = std::move(record.problem),
                     .item = std::move(record.text)});
}

void Importer::make_room(std::size_t bytes) {
    if (window_->has_room(bytes)) return;
    outbox_.flush();
    while (!ended() && !window_->wait_for_room(bytes, kRoomSlice)) {
    }
}

void Importer::stop(std::string problem) {
    const std::lock_guard lock(mutex_);
    if (!problem_) problem_ = std::move(problem);
    stopped_ = true;
    outbox_.stop();
}

ImportReport Importer::report() const {
    return {.totals = ledger_->totals(),
            .dry_run = options_.dry_run,
            .resumed = ledger_->resumed(),
            .interrupted = !complete_ && !problem_,
            .problem = problem_,
            .inputs = inputs_,
            .reasons = ledger_->reasons(),
            .shown_failures = ledger_->shown(),
            .charge = counts_.charge,
            .throttled = throttled_,
            .elapsed = timer_.elapsed(),
            .errors_file = options_.errors_file,
            .checkpoint_file = complete_ || options_.dry_run ? "" : options_.checkpoint_file};
}

}  // namespace orrery::tools
