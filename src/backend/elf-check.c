/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "backend/elf-check.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* Far above the size of any backend, which is mapped or read into memory. */
#define SIZE_LIMIT (16 << 20)
/* glibc reads the program headers from a buffer of a few hundred bytes or maps
 * them; no linker writes more than a dozen. */
#define SEGMENTS_MAX 64

/* The ELF header of the program that contains this code, defined by the linker: it
 * tells what "this machine" is without a list of machines. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

/* Whether COUNT records of SIZE bytes at OFFSET lie within the file. */
static bool within(uint64_t offset, uint64_t count, uint64_t size, uint64_t file_size)
{
	return offset <= file_size && (size == 0 || count <= (file_size - offset) / size);
}

static bool read_at(int fd, uint64_t offset, void *buffer, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(fd, (char *)buffer + done, size - done,
				  (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static const char *header_fault(const ElfW(Ehdr) * header, uint64_t size)
{
	const ElfW(Ehdr) *own = &__ehdr_start;

	if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		return "it is not an ELF file";
	if (header->e_ident[EI_CLASS] != own->e_ident[EI_CLASS] ||
	    header->e_ident[EI_DATA] != own->e_ident[EI_DATA])
		return "it was built for another word size or byte order than drupe";
	if (header->e_machine != own->e_machine)
		return "it was built for another machine than drupe";
	if (header->e_type != ET_DYN)
		return "it is not a shared object";
	if (header->e_phentsize != sizeof(ElfW(Phdr)) || header->e_phnum == 0 ||
	    header->e_phnum > SEGMENTS_MAX)
		return "its program headers are not those of a shared object";
	if (!within(header->e_phoff, header->e_phnum, sizeof(ElfW(Phdr)), size))
		return "it is truncated: its program headers lie beyond its end";
	/* They come last in a file, so most truncations show here. */
	if (header->e_shoff != 0 &&
	    !within(header->e_shoff, header->e_shnum, header->e_shentsize, size))
		return "it is truncated: its section headers lie beyond its end";
	return NULL;
}

static const char *segments_fault(const ElfW(Phdr) * segments, size_t count,
				  uint64_t size)
{
	bool has_load = false, has_dynamic = false;

	for (size_t i = 0; i < count; i++) {
		const ElfW(Phdr) *segment = &segments[i];

		if (segment->p_type != PT_NULL && segment->p_type != PT_GNU_STACK &&
		    !within(segment->p_offset, 1, segment->p_filesz, size))
			return "it is truncated: a segment lies beyond its end";
		if (segment->p_type == PT_LOAD && segment->p_filesz > segment->p_memsz)
			return "a segment is larger in the file than in memory";
		has_load |= segment->p_type == PT_LOAD;
		has_dynamic |= segment->p_type == PT_DYNAMIC && segment->p_filesz > 0;
	}
	return has_load && has_dynamic ? NULL : "it is not a shared object";
}

int elf_check(int fd, const char *file, off_t size, struct error *err)
{
	ElfW(Phdr) segments[SEGMENTS_MAX];
	ElfW(Ehdr) header;
	const char *fault;

	if (size > SIZE_LIMIT)
		fault = "it is larger than 16M, too large for a backend";
	else if ((uint64_t)size < sizeof(header) ||
		 !read_at(fd, 0, &header, sizeof(header)))
		fault = "it is too short for an ELF file";
	else
		fault = header_fault(&header, (uint64_t)size);
	if (!fault &&
	    !read_at(fd, header.e_phoff, segments, header.e_phnum * sizeof(segments[0])))
		fault = "its program headers cannot be read";
	if (!fault)
		fault = segments_fault(segments, header.e_phnum, (uint64_t)size);
	if (!fault)
		return 0;
	error_set(err, ERROR_BACKEND_INVALID, ENOEXEC, "%s is not a backend: %s", file,
		  fault);
	error_hint(err,
		   "install the backend's package again, in the version for this system");
	return -ENOEXEC;
}
