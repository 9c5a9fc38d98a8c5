/*
 * Runs a program on Linux whose chosen system calls get the answers of other file systems.
 *
 *   gcc -O1 -o syscall-answers syscall-answers.c
 *   ./syscall-answers exchange node program.mjs     an exchange of two names renames plainly and answers 0,
 *                                                   as on bind mounts of Docker Desktop for Mac
 *   ./syscall-answers dirsync=22 node program.mjs   fsync and fdatasync of a folder fail with that number,
 *                                                   as on some FUSE, SMB and virtual machine mounts
 *
 * Prints how many calls it changed to standard error, and ends as the program does. The kernel hands the calls over
 * by a seccomp filter with a listener (Linux 5.6 and later), so those count as well that no C library makes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXCHANGE = 2 };

static int exchanges, refusal;

/* Makes the child's calls of two numbers wait for this process; answers the listener. */
static int listener(unsigned first, unsigned second) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, second, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
  };
  struct sock_fprog filter = {sizeof code / sizeof *code, code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
}

static void child(int to_parent, char **program) {
  int fd = exchanges ? listener(SYS_renameat2, SYS_renameat2) : listener(SYS_fsync, SYS_fdatasync);
  if (fd < 0) {
    perror("seccomp");
    _exit(125);
  }
  if (write(to_parent, &fd, sizeof fd) != sizeof fd) _exit(125);
  char taken;
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  while (read(0, &taken, 1) < 0 && errno == EINTR) continue; /* the parent has the listener */
  execvp(program[0], program);
  perror(program[0]);
  _exit(127);
}

static void text_at(int pid, unsigned long long address, char *text, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/mem", pid);
  int memory = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t length = memory < 0 ? -1 : pread(memory, text, size - 1, address);
  text[length > 0 ? length : 0] = 0;
  if (memory >= 0) close(memory);
}

static int folder_of(int pid, int fd) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, fd);
  return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int rename_plainly(const struct seccomp_notif *call) {
  char from[4096], to[4096];
  text_at(call->pid, call->data.args[1], from, sizeof from);
  text_at(call->pid, call->data.args[3], to, sizeof to);
  int from_folder = folder_of(call->pid, call->data.args[0]);
  int to_folder = folder_of(call->pid, call->data.args[2]);
  int error = renameat(from_folder, from, to_folder, to) ? -errno : 0;
  close(from_folder);
  close(to_folder);
  return error;
}

static int is_folder(const struct seccomp_notif *call) {
  char path[64];
  struct stat found;
  snprintf(path, sizeof path, "/proc/%d/fd/%d", call->pid, (int)call->data.args[0]);
  return !stat(path, &found) && S_ISDIR(found.st_mode);
}

/* Answers one call, or lets the kernel do it; answers whether it was changed. */
static int answer(int fd) {
  struct seccomp_notif call = {0};
  if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &call)) return 0;
  struct seccomp_notif_resp response = {.id = call.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
  int changed = exchanges ? call.data.args[4] == EXCHANGE : is_folder(&call);
  if (changed) {
    response.flags = 0;
    response.error = exchanges ? rename_plainly(&call) : -refusal;
  }
  ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &response);
  return changed;
}

int main(int count, char **words) {
  if (count < 3) return 125;
  exchanges = !strcmp(words[1], "exchange");
  if (!exchanges && sscanf(words[1], "dirsync=%d", &refusal) != 1) return 125;
  int numbers[2], go[2], theirs;
  if (pipe2(numbers, O_CLOEXEC) || pipe2(go, O_CLOEXEC)) return 125;
  int pid = fork();
  if (!pid) {
    dup2(go[0], 0);
    close(go[1]);
    child(numbers[1], words + 2);
  }
  close(numbers[1]);
  if (read(numbers[0], &theirs, sizeof theirs) != sizeof theirs) return 125;
  int process = syscall(SYS_pidfd_open, pid, 0);
  int fd = syscall(SYS_pidfd_getfd, process, theirs, 0);
  if (fd < 0) {
    perror("pidfd_getfd");
    return 125;
  }
  close(go[1]);
  for (int changed = 0, status;;) {
    struct pollfd ready = {fd, POLLIN, 0};
    int found = poll(&ready, 1, 50);
    if (found > 0 && ready.revents & POLLIN) {
      changed += answer(fd);
    } else if (waitpid(pid, &status, WNOHANG) == pid) {
      fprintf(stderr, "%d system calls changed\n", changed);
      return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
    }
  }
}
