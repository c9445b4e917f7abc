// The keys of one partition's index. On disk (docs/storage-format.md). All keys of one generation
// of the index begin with a letter and its number, so that an index can be built while another is
// in use, and be removed as a whole.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "index/path_policy.h"
#include "index/shapes.h"
#include "partition/keys.h"

namespace orrery::partition {

// From 1. A number is reused after its generation has been removed.
using GenerationNumber = std::uint8_t;

// 'I' generation path value docnum; 'C' generation composite values docnum; 'S' generation shape
// docnum; 'N' generation …: the dictionary of paths and shapes.
inline constexpr std::array<char, 4> kIndexLetters{'C', 'I', 'N', 'S'};
std::string index_prefix(char letter, GenerationNumber generation);

std::string term_prefix(GenerationNumber generation, index::PathId path);
std::string composite_prefix(GenerationNumber generation, std::size_t number);
std::string shape_prefix(GenerationNumber generation, index::ShapeId shape);

// 'N' generation 01 path → id; 'N' generation 02 shape → paths; 'N' generation 03: some items have
// unlisted paths.
std::string path_name_key(GenerationNumber generation, std::string_view encoded_path);
std::string shape_name_key(GenerationNumber generation, index::ShapeId shape);
std::string unlisted_key(GenerationNumber generation);
// All path or all shape names of a generation.
storage::Range path_names_of(GenerationNumber generation);
storage::Range shape_names_of(GenerationNumber generation);
inline constexpr std::size_t kNamePrefixBytes = 3;

// All keys that begin with these bytes.
storage::Range keys_with(std::string_view prefix);

// 'MI': the generations and their policies. 'MP': the build position.
std::string index_state_key();
std::string index_position_key();

// A docnum in an index key: range id and counter, each an ordered varint. Takes four to five bytes
// instead of eight, and sorts like docnums.
void append_index_docnum(std::string& out, Docnum docnum);
// nullopt if the bytes are not a docnum.
std::optional<Docnum> index_docnum(std::string_view bytes);

}  // namespace orrery::partition
