#include "plan.h"

#include <stdlib.h>
#include <string.h>

static const char magic[8] = {'I', 'L', 'K', 'B', 'O', 'X', '0', '1'};

/* What is left of a value. */
struct cursor {
  const unsigned char *at;
  size_t left;
};

static bool take_number(struct cursor *cursor, size_t bytes, uint64_t *number) {
  if (cursor->left < bytes) return false;
  *number = 0;
  for (size_t i = 0; i < bytes; i++) *number |= (uint64_t)cursor->at[i] << (8 * i);
  cursor->at += bytes;
  cursor->left -= bytes;
  return true;
}

static bool take_u32(struct cursor *cursor, uint32_t *number) {
  uint64_t wide;
  if (!take_number(cursor, 4, &wide)) return false;
  *number = (uint32_t)wide;
  return true;
}

static bool take_text(struct cursor *cursor, const char **text) {
  const unsigned char *end = memchr(cursor->at, 0, cursor->left);
  if (cursor->left == 0 || end == NULL) return false;
  *text = (const char *)cursor->at;
  cursor->left -= (size_t)(end - cursor->at) + 1;
  cursor->at = end + 1;
  return true;
}

/* Absolute, without empty, "." or ".." parts and without a slash at its end: nothing to work out. */
static bool is_plain_path(const char *path) {
  if (path[0] != '/') return false;
  if (path[1] == 0) return true;
  for (const char *part = path; *part != 0;) {
    size_t length = strcspn(++part, "/");
    if (length == 0 || (length == 1 && part[0] == '.') ||
        (length == 2 && part[0] == '.' && part[1] == '.'))
      return false;
    part += length;
  }
  return true;
}

static size_t words_of(enum entry_kind kind) {
  switch (kind) {
    case ENTRY_DIRECTORY:
    case ENTRY_RIGHTS:
      return 0;
    case ENTRY_LINK:
    case ENTRY_FILE:
    case ENTRY_TMPFS:
    case ENTRY_BIND:
      return 1;
    case ENTRY_OVERLAY:
      return 3;
  }
  return SIZE_MAX;
}

static bool fits_mode(const struct entry *entry, enum mode mode) {
  bool is_shared = (entry->flags & ENTRY_SHARED) != 0;
  if (is_shared && (mode != MODE_JOIN || entry->kind != ENTRY_TMPFS)) return false;
  switch (mode) {
    case MODE_HOLD:
      return entry->kind == ENTRY_RIGHTS;
    case MODE_KEEP: /* what it keeps from command to command */
      return entry->kind == ENTRY_TMPFS;
    case MODE_START:
    case MODE_BARE:
      return false;
    default:
      return entry->kind != ENTRY_RIGHTS;
  }
}

static const char *read_entry(struct plan *plan, struct cursor *value) {
  if (plan->entry_count == PLAN_MOST_ENTRIES) return "too many entries";
  uint64_t kind;
  struct entry entry = {.sources = {-1, -1, -1}};
  if (!take_number(value, 1, &kind)) return "short entry";
  entry.kind = (enum entry_kind)kind;
  size_t words = words_of(entry.kind);
  if (words == SIZE_MAX) return "unknown kind of entry";
  if (!take_u32(value, &entry.flags) || entry.flags > 63) return "bad flags";
  if (!take_number(value, 8, &entry.device) || !take_number(value, 8, &entry.inode))
    return "short entry";
  if (!take_text(value, &entry.target) || !is_plain_path(entry.target)) return "bad target";
  for (size_t i = 0; i < words; i++)
    if (!take_text(value, &entry.words[i])) return "short entry";
  bool has_paths = entry.kind == ENTRY_BIND || entry.kind == ENTRY_OVERLAY;
  for (size_t i = 0; has_paths && i < words; i++)
    if (!is_plain_path(entry.words[i])) return "bad source";
  if (!fits_mode(&entry, plan->mode)) return "entry of another mode";
  struct entry *grown = realloc(plan->entries, (plan->entry_count + 1) * sizeof entry);
  if (grown == NULL) return "no memory";
  plan->entries = grown;
  plan->entries[plan->entry_count++] = entry;
  return NULL;
}

static const char *read_words(struct cursor *value, const char ***words, size_t *count) {
  if (*words != NULL) return "doubled field";
  size_t most = 0;
  for (size_t i = 0; i < value->left; i++) most += value->at[i] == 0;
  if (most > PLAN_MOST_WORDS) return "too many words";
  *words = calloc(most + 1, sizeof **words);
  if (*words == NULL) return "no memory";
  while (value->left > 0)
    if (!take_text(value, &(*words)[(*count)++])) return "short words";
  return NULL;
}

static const char *read_text(struct cursor *value, const char **text) {
  if (*text != NULL) return "doubled field";
  return take_text(value, text) ? NULL : "short text";
}

static const char *read_path(struct cursor *value, const char **path) {
  const char *problem = read_text(value, path);
  if (problem != NULL) return problem;
  return is_plain_path(*path) ? NULL : "bad path";
}

static const char *read_group(struct plan *plan, struct cursor *value) {
  if (plan->group_count == sizeof plan->groups / sizeof *plan->groups) return "too many groups";
  const char *path = NULL;
  const char *problem = read_path(value, &path);
  if (problem == NULL) plan->groups[plan->group_count++] = path;
  return problem;
}

static const char *read_who(struct plan *plan, struct cursor *value) {
  uint64_t mode, flags;
  if (plan->mode != 0) return "doubled field";
  if (!take_number(value, 1, &mode) || mode < MODE_BOX || mode > MODE_FIRST) return "bad mode";
  plan->mode = (enum mode)mode;
  if (!take_number(value, 1, &flags) || flags > 7) return "bad flags";
  plan->own_network = (flags & 1) != 0;
  plan->tells = (flags & 2) != 0;
  plan->terminal = (flags & 4) != 0;
  if (plan->terminal && plan->mode != MODE_JOIN) return "bad flags";
  if (!take_u32(value, &plan->uid) || !take_u32(value, &plan->gid)) return "short field";
  if (plan->uid == UINT32_MAX || plan->gid == UINT32_MAX) return "bad user";
  if (!take_u32(value, &plan->parent)) return "short field";
  bool outlives = plan->mode == MODE_NAMED || plan->mode == MODE_FIRST;
  return outlives && plan->parent != 0 ? "bad parent" : NULL;
}

static const char *read_port(struct plan *plan, struct cursor *value) {
  if (plan->proxy_port != 0) return "doubled field";
  if (!take_u32(value, &plan->proxy_port)) return "short field";
  bool fits = plan->proxy_port > 0 && plan->proxy_port < 65536;
  bool builds = plan->mode == MODE_BOX || plan->mode == MODE_INSIDE || plan->mode == MODE_KEEP ||
                plan->mode == MODE_NAMED || plan->mode == MODE_FIRST;
  return fits && builds && plan->own_network ? NULL : "bad port";
}

static const char *read_limits(struct limits *limits, struct cursor *value) {
  uint64_t *each[] = {&limits->processes, &limits->memory, &limits->file_size, &limits->cpu_seconds,
                      &limits->open_files};
  for (size_t i = 0; i < sizeof each / sizeof *each; i++)
    if (!take_number(value, 8, each[i])) return "short field";
  return NULL;
}

static const char *read_field(struct plan *plan, unsigned char tag, struct cursor *value) {
  /* The mode decides what the others mean. */
  if (plan->mode == 0 && tag != 'W') return "mode comes first";
  switch (tag) {
    case 'W':
      return read_who(plan, value);
    case 'L':
      return read_limits(&plan->limits, value);
    case 'N':
      return read_port(plan, value);
    case 'H':
      return read_text(value, &plan->hostname);
    case 'C':
      return read_path(value, &plan->cwd);
    case 'X':
      return read_path(value, &plan->file);
    case 'A':
      return read_words(value, &plan->argv, &plan->argc);
    case 'V':
      return read_words(value, &plan->env, &plan->envc);
    case 'E':
      return read_entry(plan, value);
    case 'G':
      return read_group(plan, value);
    default:
      return "unknown field";
  }
}

const char *plan_read(struct plan *plan, const unsigned char *bytes, size_t length) {
  memset(plan, 0, sizeof *plan);
  if (length > PLAN_MOST_BYTES) return "too long";
  if (length < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0) return "not a plan";
  struct cursor rest = {bytes + sizeof magic, length - sizeof magic};
  while (rest.left > 0) {
    uint64_t tag;
    uint32_t size;
    if (!take_number(&rest, 1, &tag) || !take_u32(&rest, &size) || size > rest.left)
      return "short field";
    struct cursor value = {rest.at, size};
    const char *problem = read_field(plan, (unsigned char)tag, &value);
    if (problem != NULL) return problem;
    if (value.left > 0) return "left over";
    rest.at += size;
    rest.left -= size;
  }
  if (plan->mode == 0) return "no mode";
  if (plan->mode == MODE_KEEP || plan->mode == MODE_START || plan->mode == MODE_NAMED ||
      plan->mode == MODE_FIRST)
    return plan->file == NULL && plan->cwd == NULL && plan->argv == NULL && plan->env == NULL
               ? NULL
               : "something to run";
  if (plan->file == NULL || plan->cwd == NULL) return "nothing to run";
  if (plan->argv == NULL || plan->argc == 0 || plan->env == NULL) return "nothing to run";
  return NULL;
}

void plan_free(struct plan *plan) {
  free(plan->argv);
  free(plan->env);
  free(plan->entries);
  memset(plan, 0, sizeof *plan);
}
