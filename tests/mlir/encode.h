// Writes small modules of MLIR bytecode for tests.
#ifndef HLOROOF_TESTS_MLIR_ENCODE_H_
#define HLOROOF_TESTS_MLIR_ENCODE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/mlir/bytes.h"

namespace hloroof::internal::mlir {

inline std::string varint(std::uint64_t value) { return encode_varint(value); }

inline std::string varints(const std::vector<std::uint64_t>& values) {
  std::string out;
  for (const std::uint64_t value : values) out += varint(value);
  return out;
}

// A signed number as it is passed to varint.
inline std::uint64_t zigzag(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1U ^ (value < 0 ? ~std::uint64_t{0} : 0);
}

inline std::string section(int id, const std::string& bytes) {
  return std::string(1, static_cast<char>(id)) + varint(bytes.size()) + bytes;
}

struct Entry {
  std::string bytes;
  bool is_binary = true;
  std::uint64_t dialect = 0;
};

// Dialect 0 is builtin and dialect 1 is x; their operations are builtin.module, x.op and, from version 5 on registered,
// x.registered. Strings 0 to 4 are the names.
struct Source {
  std::uint64_t version = 0;
  std::string dialect = "x";
  std::string op = "op";
  std::vector<std::string> strings;  // from number 5 on
  std::vector<Entry> attributes;
  std::vector<Entry> types;
  std::string ir = varint(0);  // a block without operations
  std::vector<std::string> properties;
  std::string more_sections;

  std::string bytes() const {
    std::vector<std::string> all = {"builtin", dialect, "module", op, "registered"};
    all.insert(all.end(), strings.begin(), strings.end());
    std::string table = varint(all.size());
    for (auto at = all.rbegin(); at != all.rend(); ++at) table += varint(at->size() + 1);
    for (const std::string& text : all) table += text + '\0';

    const bool has_flags = version >= 5;
    std::string dialects = varint(2);
    dialects += version >= 1 ? varints({0 << 1, 1 << 1 | 1}) + section(7, "v9") : varints({0, 1});
    if (version >= 4) dialects += varint(3);
    dialects += varints({0, 1, has_flags ? 2U << 1U | 1U : 2U, 1, 2});
    dialects += varints({has_flags ? 3U << 1U : 3U, has_flags ? 4U << 1U | 1U : 4U});

    std::string data;
    std::string offsets = varints({attributes.size(), types.size()});
    for (const std::vector<Entry>* entries : {&attributes, &types}) {
      for (const Entry& entry : *entries) {
        data += entry.bytes;
        offsets += varints({entry.dialect, 1, entry.bytes.size() << 1U | (entry.is_binary ? 1U : 0U)});
      }
    }
    std::string out = "ML\xEFR" + varint(version) + "test";
    out += '\0';
    out += section(0, table) + section(1, dialects) + section(2, data) + section(3, offsets) + section(4, ir);
    if (version >= 5) {
      std::string all_properties = varint(properties.size());
      for (const std::string& one : properties) all_properties += varint(one.size()) + one;
      out += section(8, all_properties);
    }
    return out + more_sections;
  }
};

}  // namespace hloroof::internal::mlir

#endif  // HLOROOF_TESTS_MLIR_ENCODE_H_
