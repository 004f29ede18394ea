// SPDX-License-Identifier: MIT
#include <helixavatar/base/file_io.hpp>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
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

constexpr const char* kLeftoverPrefix = ".helixavatar-";

struct ReadObserver {
    std::mutex mutex;
    std::function<void(const std::filesystem::path&, ByteView)> seen;
};

ReadObserver& read_observer() {
    static ReadObserver observer;
    return observer;
}

bool same_moment(const struct stat& a, const struct stat& b) {
    return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

}  // namespace

void observe_reads(std::function<void(const std::filesystem::path&, ByteView)> seen) {
    const std::lock_guard lock(read_observer().mutex);
    read_observer().seen = std::move(seen);
}

Result<Bytes> read_file(const std::filesystem::path& path, const Limits& limits) {
    Result<Bytes> bytes = read_own_file(path, limits);
    ReadObserver& observer = read_observer();
    const std::lock_guard lock(observer.mutex);
    if (bytes && observer.seen) observer.seen(path, *bytes);
    return bytes;
}

Result<Bytes> read_own_file(const std::filesystem::path& path, const Limits& limits) {
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
    struct stat after {};
    if (::fstat(file.fd, &after) != 0 || !same_moment(status, after))
        return unreadable(path, "another program changed it while it was read", "run again when nothing writes to it");
    return bytes;
}

namespace {

/// A file beside its target that nobody sees as finished: nameless where the file system can, else under a name that
/// goes when it is given up. The lock tells remove_leftovers() that its writer lives.
class Unfinished {
public:
    explicit Unfinished(std::filesystem::path folder) : folder_(std::move(folder)) {
        if (::access("/proc/self/fd", X_OK) == 0)
            file_.fd = ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        if (file_.fd < 0) {
            // Not derived from the target's name, which may already be as long as the file system allows.
            std::string pattern = (folder_ / (std::string(kLeftoverPrefix) + "XXXXXX")).string();
            file_.fd = ::mkostemp(pattern.data(), O_CLOEXEC);
            if (file_.fd >= 0) name_ = pattern;
        }
        if (file_.fd >= 0) ::flock(file_.fd, LOCK_EX | LOCK_NB);
    }
    ~Unfinished() {
        if (!name_.empty()) ::unlink(name_.c_str());
    }
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;

    int fd() const { return file_.fd; }

    /// Gives the file its name; false with errno set when that fails.
    bool finish_as(const std::filesystem::path& path) {
        if (name_.empty()) {
            if (link_as(path)) return true;
            if (errno != EEXIST) return false;
            // link() replaces nothing, rename() does but needs a name to begin with.
            for (unsigned n = 0; name_.empty(); ++n) {
                const std::filesystem::path name =
                    folder_ / (kLeftoverPrefix + std::to_string(::getpid()) + "-" + std::to_string(n));
                if (link_as(name))
                    name_ = name;
                else if (errno != EEXIST)
                    return false;
            }
        }
        if (::rename(name_.c_str(), path.c_str()) != 0) return false;
        name_.clear();
        return true;
    }

private:
    bool link_as(const std::filesystem::path& path) const {
        const std::string self = "/proc/self/fd/" + std::to_string(file_.fd);
        return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
    }

    std::filesystem::path folder_;
    Descriptor file_;
    std::filesystem::path name_;  ///< empty while nameless
};

/// What the umask gives a new file, or the mode of the file that is replaced.
mode_t mode_of(const std::filesystem::path& path) {
    struct stat former {};
    if (::stat(path.c_str(), &former) == 0) return former.st_mode & 07777;
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

}  // namespace

Result<void> write_file_atomically(const std::filesystem::path& path, ByteView bytes) {
    std::filesystem::path folder = path.parent_path();
    if (folder.empty()) folder = ".";
    Unfinished file(folder);
    if (file.fd() < 0) return unwritable(path, std::strerror(errno));
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t put = ::write(file.fd(), bytes.data() + done, bytes.size() - done);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return unwritable(path, std::strerror(errno));
        done += static_cast<std::size_t>(put);
    }
    if (::fchmod(file.fd(), mode_of(path)) != 0 || ::fsync(file.fd()) != 0 || !file.finish_as(path))
        return unwritable(path, std::strerror(errno));
    const Descriptor directory{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (directory.fd >= 0) ::fsync(directory.fd);
    return {};
}

void remove_leftovers(const std::filesystem::path& folder) {
    std::error_code error;
    for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        if (it->path().filename().string().rfind(kLeftoverPrefix, 0) != 0) continue;
        const Descriptor file{::open(it->path().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)};
        struct stat status {};
        if (file.fd < 0 || ::fstat(file.fd, &status) != 0 || !S_ISREG(status.st_mode)) continue;
        if (::flock(file.fd, LOCK_EX | LOCK_NB) == 0) ::unlink(it->path().c_str());
    }
}

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
    std::error_code ignored;
    return std::filesystem::equivalent(a, b, ignored);
}

}  // namespace helixavatar
