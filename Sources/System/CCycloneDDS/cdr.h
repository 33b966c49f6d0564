// A type whose messages are CDR as it is: 4 bytes that say how it is encoded, then the body. Its functions look at
// nothing but the size, allocate by malloc, and are called from any thread.

struct med_cdr_type {
    struct med_type base;
    MedDDS dds;
};

/// What became of a writer's messages, counted as the library lets go of them, in its threads.
struct med_count {
    /// Messages that were written.
    uint64_t written;
    /// Messages that it has let go of: of each all readers have acknowledged it, or have left.
    uint64_t released;
    /// As many of them as it let go of because of an acknowledgement.
    uint64_t acknowledged;
    /// How many were written when the last reader came.
    uint64_t written_at_match;
    /// How often a reader came or left.
    uint64_t changes;
};

/// A message. Its size is a multiple of 4: what is sent ends so, and its reader would not know how it ended before.
struct med_cdr {
    struct med_data base;
    struct med_count *count;  // null for what is received
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

/// Writes a message of these bytes, which are copied.
static inline med_result med_cdr_write(
    MedDDS dds, med_entity writer, const struct med_type *type, struct med_count *count, const void *bytes, size_t size
) {
    struct med_cdr *made = med_cdr_make(type, med_kind_data, size);
    if (!made) return med_out_of_resources;
    if (size) memcpy(made->bytes, bytes, size);
    made->count = count;
    const med_result result = med_dds_writecdr(dds, writer, &made->base);
    if (result == 0) __atomic_add_fetch(&count->written, 1, __ATOMIC_RELEASE);
    // One that is not written was let go of at once.
    else if (result != med_bad_parameter) __atomic_sub_fetch(&count->released, 1, __ATOMIC_RELEASE);
    return result;
}

/// Messages that the library had let go of before this was called, and what was acknowledged of them.
static inline struct med_count med_count_now(const struct med_count *count) {
    struct med_count now;
    now.released = __atomic_load_n(&count->released, __ATOMIC_ACQUIRE);
    now.acknowledged = __atomic_load_n(&count->acknowledged, __ATOMIC_ACQUIRE);
    now.changes = __atomic_load_n(&count->changes, __ATOMIC_ACQUIRE);
    now.written_at_match = __atomic_load_n(&count->written_at_match, __ATOMIC_ACQUIRE);
    now.written = __atomic_load_n(&count->written, __ATOMIC_ACQUIRE);
    return now;
}

/// Notes that a reader of a writer came or left.
static inline void med_note_match(med_entity writer, med_matched_status status, void *context) {
    struct med_count *count = (struct med_count *)context;
    (void)writer;
    if (status.current_change > 0) {
        const uint64_t written = __atomic_load_n(&count->written, __ATOMIC_ACQUIRE);
        __atomic_store_n(&count->written_at_match, written, __ATOMIC_RELEASE);
    }
    __atomic_add_fetch(&count->changes, 1, __ATOMIC_RELEASE);
}

/// Counts a message that the library lets go of.
static inline void med_count_release(struct med_count *count) {
    // Acknowledgements are taken by the library's threads recv, recvMC and recvUC; readers are removed by others.
    static __thread signed char receives = -1;
    if (receives < 0) {
        char name[16] = "";
        prctl(PR_GET_NAME, name);
        receives = strncmp(name, "recv", 4) == 0;
    }
    if (receives) __atomic_add_fetch(&count->acknowledged, 1, __ATOMIC_RELEASE);
    __atomic_add_fetch(&count->released, 1, __ATOMIC_RELEASE);
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
static inline void med_data_free(struct med_data *data) {
    struct med_count *count = ((struct med_cdr *)data)->count;
    if (count) med_count_release(count);
    free(data);
}

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

// The log.

/// Takes a line of the log, while there is room.
static inline void med_note_log(void *context, const med_log_line *line) {
    struct med_log *log = (struct med_log *)context;
    while (__atomic_exchange_n(&log->is_held, true, __ATOMIC_ACQUIRE)) {}
    if (line->size < sizeof(log->text) - log->size) {
        memcpy(log->text + log->size, line->message, line->size);
        log->size += line->size;
        log->text[log->size++] = '\n';
    }
    __atomic_store_n(&log->is_held, false, __ATOMIC_RELEASE);
}

/// Takes lines of the trace that say that somebody is heard whose addresses cannot be used.
static inline void med_note_trace(void *context, const med_log_line *line) {
    static const char wanted[] = "(no unicast address";
    const size_t size = sizeof(wanted) - 1;
    if (!(line->priority & med_log_discovery)) return;
    for (size_t start = 0; start + size <= line->size; start++) {
        if (memcmp(line->message + start, wanted, size) == 0) return med_note_log(context, line);
    }
}

/// Has the log take such lines of a domain that is made later, whose configuration traces discovery.
static inline void med_trace_discovery(MedDDS dds) { med_dds_set_trace_sink(dds, med_note_trace, dds.library->log); }

/// Moves the lines of the log to a text with room for med_log_room bytes; returns its size.
static inline size_t med_take_log(MedDDS dds, char *text) {
    struct med_log *log = dds.library->log;
    while (__atomic_exchange_n(&log->is_held, true, __ATOMIC_ACQUIRE)) {}
    const size_t size = log->size;
    memcpy(text, log->text, size);
    log->size = 0;
    __atomic_store_n(&log->is_held, false, __ATOMIC_RELEASE);
    return size;
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
    made->log = (struct med_log *)calloc(1, sizeof(struct med_log));
    if (!made->log) *missing = "memory";
    if (!type.version) *missing = "ddsi_sertype_v0";
    if (*missing) {
        free(made->log);
        free(made);
        return loaded;
    }
    loaded.library = made;
    med_dds_set_log_mask(loaded, med_log_fatal | med_log_error);
    med_dds_set_log_sink(loaded, med_note_log, made->log);
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
