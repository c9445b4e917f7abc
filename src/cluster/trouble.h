// Logs when something that is tried again and again begins to fail and when it works again, but not
// every failure between.

#pragma once

#include <string_view>

#include "base/log.h"
#include "base/result.h"

namespace orrery::cluster {

class Trouble {
public:
    // `doing` is a literal, such as "following the assignment".
    explicit Trouble(std::string_view doing) : doing_(doing) {}

    void note(const Status& outcome) {
        if (!outcome && !failing_) {
            log::warn("cluster_trouble",
                      {{"doing", doing_}, {"reason", outcome.error().message()}});
        } else if (outcome && failing_) {
            log::info("cluster_trouble_over", {{"doing", doing_}});
        }
        failing_ = !outcome;
    }

private:
    const std::string_view doing_;
    bool failing_ = false;
};

}  // namespace orrery::cluster
