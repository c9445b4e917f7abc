// An attachment as a client sends it: properties that link to media elsewhere, or the media itself.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/value.h"

namespace orrery::model {

struct AttachmentBody {
    // Empty: the attachment keeps the one it has.
    std::string id;
    // An object, without system properties. With media it holds the properties that follow from it;
    // those that the attachment has besides stay.
    json::Value properties{json::Value::Object{}};
    std::optional<std::string> media;
};

// 400 unless it is an object with strings `id`, `contentType` and `media`; 413 if it is too large.
Result<AttachmentBody> parse_attachment_body(std::string_view text);

// Raw media. 400 for a content type that is none, 413 if it is too large.
Result<AttachmentBody> media_attachment(std::string_view id,
                                        std::string_view content_type,
                                        std::string media);

// The media link of an attachment: /media/ID.
std::string media_link(std::string_view media_id);

}  // namespace orrery::model
