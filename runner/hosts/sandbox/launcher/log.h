#ifndef LOG_H
#define LOG_H

/*
 * Keeps what comes on descriptor 0 in the file "name" of the folder that is descriptor 3, and what
 * came before in "name.1"; neither grows past "most" bytes. Ends when nobody writes any more, or
 * when the files are taken away. It never stops reading: what the disk does not take is counted.
 */
_Noreturn void keep_log(const char *name, uint32_t most);

#endif
