/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "backend/mapped.h"

#include <link.h>
#include <stdint.h>
#include <string.h>

struct search {
	uintptr_t address;
	unsigned flags; /* PF_* that the segment must have */
	size_t left;	/* found: bytes from the address to the segment's end */
};

static int search_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD ||
		    (segment->p_flags & search->flags) != search->flags)
			continue;
		if (search->address >= start &&
		    search->address - start < segment->p_memsz) {
			search->left = segment->p_memsz - (search->address - start);
			return 1;
		}
	}
	return 0;
}

/* Bytes from the address to the end of its segment, 0 when it is in none. */
static size_t bytes_left(const void *address, unsigned flags)
{
	struct search search = { .address = (uintptr_t)address, .flags = flags };

	dl_iterate_phdr(search_object, &search);
	return search.left;
}

bool mapped_data(const void *address, size_t length)
{
	size_t left = bytes_left(address, PF_R);

	return left > 0 && length <= left;
}

bool mapped_code(const void *address)
{
	return bytes_left(address, PF_X) > 0;
}

bool mapped_text(const char *text, size_t max)
{
	size_t left = bytes_left(text, PF_R);
	size_t room = left < max ? left : max;

	return room > 0 && memchr(text, '\0', room);
}
