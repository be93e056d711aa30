#include "frame.h"

static uint32_t number_at(const unsigned char *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
         (uint32_t)bytes[3] << 24;
}

bool frame_read(struct frame *frame, const unsigned char *bytes, size_t length, size_t files) {
  if (length != FRAME_BYTES || bytes[1] > 1 || bytes[2] != 0 || bytes[3] != 0) return false;
  *frame = (struct frame){.type = (enum frame_type)bytes[0],
                          .tells = bytes[1] == 1,
                          .command = number_at(bytes + 4),
                          .number = number_at(bytes + 8)};
  switch (bytes[0]) {
    case FRAME_RUN:
      return frame->number == 0 && files == (size_t)FRAME_FILES + (frame->tells ? 1 : 0);
    case FRAME_SIGNAL:
      return !frame->tells && frame->number >= 1 && frame->number <= 31 && files == 0;
    case FRAME_LISTENER:
      return !frame->tells && frame->command == 0 && frame->number == 0 && files == 0;
    case FRAME_END:
      return !frame->tells && frame->command == 0 && (frame->number == 9 || frame->number == 15) &&
             files == 0;
    default:
      return false;
  }
}
