// SPDX-License-Identifier: MIT
#include <helixavatar/base/file_io.hpp>

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace helixavatar {
namespace {

/// Closes on the way out.
struct Descriptor {
    int fd = -1;
    ~Descriptor() {
        if (fd >= 0) ::close(fd);
    }
};

Error unreadable(const std::filesystem::path& path, const std::string& why, const std::string& hint = {}) {
    return {ErrorKind::unreadable, "cannot read the file: " + why, path.string(), hint};
}

Error unwritable(const std::filesystem::path& path, const std::string& why) {
    return {ErrorKind::unwritable, "cannot write the file: " + why, path.string(),
            "check that the folder exists, is writable and has space left"};
}

}  // namespace

Result<Bytes> read_file(const std::filesystem::path& path, const Limits& limits) {
    // O_NONBLOCK: a FIFO without a writer must not hang the open.
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.fd < 0)
        return unreadable(path, std::strerror(errno), errno == ENOENT ? "check the spelling of the path" : "");
    struct stat status {};
    if (::fstat(file.fd, &status) != 0) return unreadable(path, std::strerror(errno));
    if (S_ISDIR(status.st_mode)) return unreadable(path, "it is a folder");
    if (!S_ISREG(status.st_mode)) return unreadable(path, "it is not a regular file");
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size > limits.file_bytes)
        return unreadable(
            path, "it has " + std::to_string(size) + " bytes, the limit is " + std::to_string(limits.file_bytes));
    Bytes bytes(size);
    std::size_t done = 0;
    while (done < size) {
        const ssize_t got = ::read(file.fd, bytes.data() + done, size - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return unreadable(path, std::strerror(errno));
        if (got == 0)
            return unreadable(path, "it became shorter while it was read", "run again when nothing writes to it");
        done += static_cast<std::size_t>(got);
    }
    return bytes;
}

Result<void> write_file_atomically(const std::filesystem::path& path, ByteView bytes) {
    std::filesystem::path folder = path.parent_path();
    if (folder.empty()) folder = ".";
    // Not derived from the target's name, which may already be as long as the file system allows.
    std::string pattern = (folder / ".helixavatar-XXXXXX").string();
    Descriptor file{::mkstemp(pattern.data())};
    if (file.fd < 0) return unwritable(path, std::strerror(errno));
    const auto give_up = [&](int error) {
        ::unlink(pattern.c_str());
        return unwritable(path, std::strerror(error));
    };
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t put = ::write(file.fd, bytes.data() + done, bytes.size() - done);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return give_up(errno);
        done += static_cast<std::size_t>(put);
    }
    struct stat former {};
    mode_t mode = 0;
    if (::stat(path.c_str(), &former) == 0) {
        mode = former.st_mode & 07777;
    } else {
        const mode_t mask = ::umask(0);
        ::umask(mask);
        mode = 0666 & ~mask;
    }
    if (::fchmod(file.fd, mode) != 0 || ::fsync(file.fd) != 0) return give_up(errno);
    if (::close(std::exchange(file.fd, -1)) != 0) return give_up(errno);
    if (::rename(pattern.c_str(), path.c_str()) != 0) return give_up(errno);
    const Descriptor directory{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (directory.fd >= 0) ::fsync(directory.fd);
    return {};
}

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
    std::error_code ignored;
    return std::filesystem::equivalent(a, b, ignored);
}

}  // namespace helixavatar
