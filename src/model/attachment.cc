#include "model/attachment.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/utf8.h"
#include "model/item_body.h"
#include "model/limits.h"
#include "model/names.h"

namespace orrery::model {

namespace {

// The registered ones: the service refuses others, as the SDKs' tests expect of "junt/test".
constexpr std::array<std::string_view, 10> kMediaTypes = {"application",
                                                          "audio",
                                                          "example",
                                                          "font",
                                                          "image",
                                                          "message",
                                                          "model",
                                                          "multipart",
                                                          "text",
                                                          "video"};

Error bad_attachment(std::string message) {
    return Error(ErrorCode::kBadRequest, std::move(message));
}

// It is sent back in a header, so it must not break one.
bool is_printable(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        if (!take_code_point(text)) return false;
    }
    return true;
}

Status check_content_type(std::string_view text) {
    const std::size_t slash = text.find('/');
    const bool known =
        slash != std::string_view::npos &&
        std::any_of(kMediaTypes.begin(), kMediaTypes.end(), [&](std::string_view type) {
            return same_word(type, text.substr(0, slash));
        });
    const bool has_subtype = known && slash + 1 < text.size() && text[slash + 1] != ';';
    if (has_subtype && text.size() <= limits::kContentTypeBytesMax && is_printable(text)) return {};
    return bad_attachment("The content type '" + std::string(text.substr(0, 40)) +
                          "' of an attachment is not a valid media type.");
}

}  // namespace

Result<AttachmentBody> parse_attachment_body(std::string_view text) {
    if (text.size() > limits::kAttachmentBytesMax) {
        return Error(ErrorCode::kTooLarge, "The attachment is too large.");
    }
    AttachmentBody out;
    out.properties = TRY(json::Value::parse(text));
    if (!out.properties.is_object()) return bad_attachment("An attachment must be a JSON object.");
    std::string missing;
    for (const char* name : {"id", "contentType", "media"}) {
        const json::Value* found = out.properties.find(name);
        if (found == nullptr || !found->is_string()) missing.append(name).append("; ");
    }
    if (!missing.empty()) {
        return bad_attachment("The input content is invalid because the required properties - '" +
                              missing + "' - are missing, or are not strings.");
    }
    out.id = out.properties.find("id")->string();
    TRY(check_resource_name(out.id));
    TRY(check_content_type(out.properties.find("contentType")->string()));
    json::Value::Object kept;
    for (const json::Value::Member& member : out.properties.object()) {
        if (!is_system_property(member.name)) kept.push_back(member);
    }
    out.properties = std::move(kept);
    return out;
}

Result<AttachmentBody> media_attachment(std::string_view id,
                                        std::string_view content_type,
                                        std::string media) {
    if (media.size() > limits::kMediaBytesMax) {
        return Error(ErrorCode::kTooLarge, "The media is too large.");
    }
    AttachmentBody out;
    if (!id.empty()) {
        if (!is_utf8(id)) return bad_attachment("The name of an attachment is not valid UTF-8.");
        TRY(check_resource_name(id));
        out.id = id;
        out.properties.set("id", out.id);
    }
    TRY(check_content_type(content_type));
    out.properties.set("contentType", content_type);
    out.media = std::move(media);
    return out;
}

std::string media_link(std::string_view media_id) {
    return std::string("/media/").append(media_id);
}

}  // namespace orrery::model
