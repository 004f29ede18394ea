// SPDX-License-Identifier: MIT
// What can go wrong in running. Faults of an asset under judgement are findings (finding.hpp), not errors.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace helixavatar {

/// Decides the exit code, see exit_code.hpp.
enum class ErrorKind {
    usage,          ///< the command line or a file that steers the run (config, bone map, face map) is wrong
    unreadable,     ///< an input cannot be opened or read
    malformed,      ///< an input is not what its format requires
    unconvertible,  ///< an input is well formed but cannot become an avatar
    unwritable,     ///< an output could not be written
    internal        ///< a fault of the program itself
};

/// Four answers for the user: what, where (file, JSON pointer, joint), and what to do about it.
struct Error {
    ErrorKind kind = ErrorKind::internal;
    std::string message;  ///< what happened and why, one sentence, no trailing full stop
    std::string where;    ///< file and JSON pointer, or empty
    std::string hint;     ///< what to do, or empty
};

/// A value or the reason why there is none.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    explicit operator bool() const { return state_.index() == 0; }
    T& value() { return std::get<0>(state_); }
    const T& value() const { return std::get<0>(state_); }
    T take() { return std::move(std::get<0>(state_)); }
    const Error& error() const { return std::get<1>(state_); }

    T& operator*() { return value(); }
    const T& operator*() const { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

private:
    std::variant<T, Error> state_;
};

/// Done, or the reason why not.
template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}

    explicit operator bool() const { return !error_.has_value(); }
    const Error& error() const { return *error_; }

private:
    std::optional<Error> error_;
};

}  // namespace helixavatar
