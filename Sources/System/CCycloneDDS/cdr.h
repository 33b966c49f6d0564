// A type whose messages are CDR as it is: 4 bytes that say how it is encoded, then the body. Its functions look at
// nothing but the size, allocate by malloc, and are called from any thread.

struct med_cdr_type {
    struct med_type base;
    MedDDS dds;
};

/// A message. Its size is a multiple of 4: what is sent ends so, and its reader would not know how it ended before.
struct med_cdr {
    struct med_data base;
    size_t size;
    uint8_t bytes[];
};

/// A message with room for a number of bytes, the last 0 to 3 of them zero, and one reference to it; null without
/// memory, or where 32 bits do not hold the size.
static inline struct med_cdr *med_cdr_make(const struct med_type *type, int kind, size_t count) {
    if (count > UINT32_MAX - 3) return NULL;
    const size_t size = (count + 3) & ~(size_t)3;
    struct med_cdr *made = (struct med_cdr *)malloc(sizeof(struct med_cdr) + size);
    if (!made) return NULL;
    memset(made, 0, sizeof(struct med_cdr));
    med_ddsi_serdata_init(((const struct med_cdr_type *)type)->dds, &made->base, type, kind);
    made->base.hash = type->data_hash;
    made->size = size;
    memset(made->bytes + count, 0, size - count);
    return made;
}

/// A message of these bytes, which are copied, to be given to dds_writecdr.
static inline struct med_data *med_cdr_copy(const struct med_type *type, const void *bytes, size_t count) {
    struct med_cdr *made = med_cdr_make(type, med_kind_data, count);
    if (!made) return NULL;
    if (count) memcpy(made->bytes, bytes, count);
    return &made->base;
}

static inline struct med_data *med_cdr_reference(const struct med_data *data) {
    __atomic_add_fetch(&((struct med_data *)data)->references, 1, __ATOMIC_RELAXED);
    return (struct med_data *)data;
}

/// Gives a reference back.
static inline void med_cdr_release(struct med_data *data) {
    if (__atomic_sub_fetch(&data->references, 1, __ATOMIC_ACQ_REL) == 0) data->table->free(data);
}

static inline const uint8_t *med_cdr_bytes(const struct med_data *data) {
    return ((const struct med_cdr *)data)->bytes;
}
static inline size_t med_cdr_size(const struct med_data *data) { return ((const struct med_cdr *)data)->size; }

// Of the type.

static inline void med_type_free(struct med_type *type) {
    med_ddsi_sertype_fini(((struct med_cdr_type *)type)->dds, type);
    free(type);
}

// Types are compared that have the same name and the same tables.
static inline bool med_type_equal(const struct med_type *a, const struct med_type *b) { return (void)a, (void)b, true; }
static inline uint32_t med_type_hash(const struct med_type *type) { return (void)type, 0; }

// Of the messages. There is no key, so that all have the same.

static inline bool med_data_equal_key(const struct med_data *a, const struct med_data *b) {
    return (void)a, (void)b, true;
}
static inline uint32_t med_data_size(const struct med_data *data) { return (uint32_t)med_cdr_size(data); }
static inline void med_data_free(struct med_data *data) { free(data); }

// Fragments are in order of their first byte, and may overlap.
static inline struct med_data *med_data_from_fragments(
    const struct med_type *type, int kind, const struct med_fragment *fragment, size_t size
) {
    struct med_cdr *made = med_cdr_make(type, kind, size);
    size_t done = 0;
    for (; made && fragment; fragment = fragment->next) {
        if (fragment->end <= done || fragment->first > done || done >= size) continue;
        const size_t end = fragment->end < size ? fragment->end : size;
        const uint8_t *bytes = (const uint8_t *)(fragment->packet + 1) + fragment->payload_offset;
        memcpy(made->bytes + done, bytes + (done - fragment->first), end - done);
        done = end;
    }
    if (made && done < size) memset(made->bytes + done, 0, size - done);
    return made ? &made->base : NULL;
}

static inline struct med_data *med_data_from_pieces(
    const struct med_type *type, int kind, size_t count, const struct iovec *pieces, size_t size
) {
    struct med_cdr *made = med_cdr_make(type, kind, size);
    if (!made) return NULL;
    size_t done = 0;
    for (size_t index = 0; index < count && done < size; index++) {
        const size_t length = pieces[index].iov_len < size - done ? pieces[index].iov_len : size - done;
        memcpy(made->bytes + done, pieces[index].iov_base, length);
        done += length;
    }
    memset(made->bytes + done, 0, size - done);
    return &made->base;
}

static inline struct med_data *med_data_of_key(const struct med_type *type) {
    struct med_cdr *made = med_cdr_make(type, med_kind_key, 0);
    return made ? &made->base : NULL;
}

static inline struct med_data *med_data_from_key_hash(const struct med_type *type, const med_key_hash *hash) {
    return (void)hash, med_data_of_key(type);
}

// A sample is no form that is used here: dds_write and dds_take are not for these topics.
static inline struct med_data *med_data_from_sample(const struct med_type *type, int kind, const void *sample) {
    return (void)sample, kind == med_kind_data ? NULL : med_data_of_key(type);
}

static inline bool med_data_to_sample(const struct med_data *data, void *sample, void **buffer, void *limit) {
    return (void)data, (void)sample, (void)buffer, (void)limit, false;
}

static inline bool med_data_untyped_to_sample(
    const struct med_type *type, const struct med_data *data, void *sample, void **buffer, void *limit
) {
    return (void)type, (void)data, (void)sample, (void)buffer, (void)limit, true;
}

// The key, by which the library knows the one instance; its type is not looked at any more.
static inline struct med_data *med_data_to_untyped(const struct med_data *data) {
    struct med_data *made = med_data_of_key(data->type);
    if (made) made->type = NULL;
    return made;
}

static inline void med_data_copy(const struct med_data *data, size_t offset, size_t size, void *destination) {
    memcpy(destination, med_cdr_bytes(data) + offset, size);
}

static inline struct med_data *med_data_lend(
    const struct med_data *data, size_t offset, size_t size, struct iovec *piece
) {
    piece->iov_base = (uint8_t *)med_cdr_bytes(data) + offset;
    piece->iov_len = size;
    return med_cdr_reference(data);
}

static inline void med_data_take_back(struct med_data *data, const struct iovec *piece) {
    (void)piece;
    med_cdr_release(data);
}

static inline size_t med_data_print(
    const struct med_type *type, const struct med_data *data, char *text, size_t size
) {
    (void)type, (void)data;
    if (size) text[0] = 0;
    return 0;
}

static inline void med_data_key_hash(const struct med_data *data, med_key_hash *hash, bool is_md5) {
    (void)data, (void)is_md5;
    memset(hash, 0, sizeof(*hash));
}

/// Whether a library has the layouts of 0.10, as far as its symbols tell: no function gives its version. The one symbol
/// came with 0.10, the other one after it.
static inline bool med_has_layouts(void *handle) {
    return dlsym(handle, "ddsi_sertype_derive_sertype") && !dlsym(handle, "ddsi_sertype_init_props");
}

/// Fills the table of a library that dlopen gave, which then stays loaded for good; else null, and the name of a
/// symbol that it does not have.
static inline MedDDS med_load(void *handle, const char **missing) {
    MedDDS loaded = {NULL};
    med_library *made = (med_library *)calloc(1, sizeof(med_library));
    *missing = made ? NULL : "memory";
    if (!made) return loaded;
#define MED_FIND(result, name, ...) \
    if (!(*(void **)&made->name = dlsym(handle, #name))) *missing = #name;
    MED_FUNCTIONS(MED_FIND)
#undef MED_FIND
    const struct med_type_table type = {
        .version = dlsym(handle, "ddsi_sertype_v0"),
        .free = med_type_free,
        .equal = med_type_equal,
        .hash = med_type_hash,
    };
    const struct med_data_table data = {
        .equal_key = med_data_equal_key,
        .size = med_data_size,
        .from_fragments = med_data_from_fragments,
        .from_pieces = med_data_from_pieces,
        .from_key_hash = med_data_from_key_hash,
        .from_sample = med_data_from_sample,
        .copy = med_data_copy,
        .lend = med_data_lend,
        .take_back = med_data_take_back,
        .to_sample = med_data_to_sample,
        .to_untyped = med_data_to_untyped,
        .untyped_to_sample = med_data_untyped_to_sample,
        .free = med_data_free,
        .print = med_data_print,
        .key_hash = med_data_key_hash,
    };
    made->type_table = type;
    made->data_table = data;
    if (!type.version) *missing = "ddsi_sertype_v0";
    if (*missing) {
        free(made);
        return loaded;
    }
    loaded.library = made;
    return loaded;
}

/// A topic of CDR messages, and the type with which its messages are made, which lives as long as the topic.
static inline med_entity med_cdr_topic(
    MedDDS dds, med_entity participant, const char *name, const char *type_name, const struct med_type **type
) {
    struct med_cdr_type *made = (struct med_cdr_type *)calloc(1, sizeof(struct med_cdr_type));
    if (!made) return med_out_of_resources;
    made->dds = dds;
    med_ddsi_sertype_init_flags(
        dds, &made->base, type_name, &dds.library->type_table, &dds.library->data_table, med_flag_no_key
    );
    made->base.representations = 1 << med_representation_xcdr1;
    struct med_type *kept = &made->base;
    const med_entity topic = med_dds_create_topic_sertype(dds, participant, name, &kept, NULL, NULL, NULL);
    if (topic < 0) med_ddsi_sertype_unref(dds, &made->base);
    *type = topic < 0 ? NULL : kept;
    return topic;
}
