#include "kernel.h"

#include "box.h"
#include "built.h"
#include "report.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>

void built_compare(const struct plan *plan) {
  for (size_t i = 0; i < plan->entry_count; i++) {
    const struct entry *entry = &plan->entries[i];
    if (entry->kind != ENTRY_BIND || (entry->device == 0 && entry->inode == 0)) continue;
    int place = open_without_links(AT_FDCWD, entry->target, O_PATH);
    struct stat about;
    if (place < 0 || fstat(place, &about) < 0) give_up("source");
    if (about.st_dev != entry->device || about.st_ino != entry->inode) {
      errno = ESTALE;
      give_up("source-changed");
    }
    close(place);
  }
}

void built_require_own_network(void) {
  char text[4096];
  int file = open("/proc/self/net/dev", O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (length < 0) give_up("network");
  text[length] = 0;
  close(file);
  int interfaces = 0;
  for (const char *colon = text; (colon = strchr(colon, ':')) != NULL; colon++) interfaces++;
  if (interfaces != 1 || strstr(text, "lo:") == NULL) {
    errno = ENOTUNIQ;
    give_up("network");
  }
  report_held("no-network");
}

enum { IN_MEMORY = 0x01021994, READ_ONLY_MOUNT = 0x0001 }; /* TMPFS_MAGIC, ST_RDONLY */

static void require(bool holds, const char *step) {
  if (holds) return;
  errno = EPERM;
  give_up(step);
}

static void check_mount(const struct entry *entry) {
  bool may_lack = (entry->flags & ENTRY_IF_PRESENT) != 0;
  int place = open_without_links(AT_FDCWD, entry->target, O_PATH);
  if (place < 0 && errno == ENOENT && may_lack) return;
  struct statfs about;
  if (place < 0 || fstatfs(place, &about) < 0) give_up("target");
  close(place);
  bool is_writable = ((unsigned)about.f_flags & READ_ONLY_MOUNT) == 0;
  if (entry->kind == ENTRY_TMPFS) require(about.f_type == IN_MEMORY, "tmpfs");
  /* An overlay would have to be looked into to be told from what lies below it. */
  require(entry->kind != ENTRY_OVERLAY, "overlay");
  if (entry->kind == ENTRY_BIND && (entry->flags & ENTRY_WRITABLE) == 0)
    require(!is_writable, "source-writable");
}

void built_take(const struct plan *plan) {
  for (size_t i = 0; i < plan->entry_count; i++) {
    enum entry_kind kind = plan->entries[i].kind;
    if (kind == ENTRY_BIND || kind == ENTRY_TMPFS || kind == ENTRY_OVERLAY)
      check_mount(&plan->entries[i]);
  }
  built_compare(plan);
  box_fill(plan);
}
