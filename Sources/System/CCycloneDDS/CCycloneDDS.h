#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>

// What is needed of Cyclone DDS 0.10 to write and read CDR as it is, without its headers and without linking it: the
// library is found at run time.
//
// A type that a program brings along is two tables of functions, one for the type and one for its messages; Cyclone
// calls them from the thread that writes and from its own threads. The layouts are those of 0.10 on a 64 bit machine
// with shared memory (DDS_HAS_SHM), whose fields are the last ones: a library without it does not look at them.
// tools/peers/dds_layout.c compares every layout and number with those of an installed cyclonedds-dev.

// A pointer to a table that is filled once and is constant then.
#ifdef __clang__
#define MED_SENDABLE __attribute__((swift_attr("@Sendable")))
#else
#define MED_SENDABLE
#endif

/// Where an address of the program comes from, as the dynamic loader knows it.
typedef struct med_origin {
    const char *file;
    void *base;
    const char *symbol;
    void *address;
} med_origin;
extern int med_dladdr(const void *address, med_origin *origin) __asm__("dladdr");

/// A thing of the library; a negative number is an error.
typedef int32_t med_entity;
/// Zero or an error, which dds_strretcode names.
typedef int32_t med_result;
/// Nanoseconds; INT64_MAX is without end.
typedef int64_t med_duration;
typedef uint64_t med_handle;

// Errors. All others are negative, too.
enum {
    med_error = -1, med_unsupported = -2, med_bad_parameter = -3, med_precondition_not_met = -4,
    med_out_of_resources = -5, med_inconsistent_policy = -8, med_already_deleted = -9, med_timeout = -10,
    med_no_data = -11, med_illegal_operation = -12, med_not_allowed_by_security = -13
};

// Topics that the library has by itself: what it has heard of others, and what this process made.
enum {
    med_topic_participants = 0x7fff0001, med_topic_publications = 0x7fff0003, med_topic_subscriptions = 0x7fff0004
};

enum { med_volatile = 0, med_transient_local = 1, med_transient = 2, med_persistent = 3 };
enum { med_keep_last = 0, med_keep_all = 1 };
enum { med_best_effort = 0, med_reliable = 1 };
enum { med_liveliness_automatic = 0, med_liveliness_by_participant = 1, med_liveliness_by_topic = 2 };
enum { med_ignore_none = 0, med_ignore_participant = 1, med_ignore_process = 2 };
enum { med_representation_xcdr1 = 0, med_representation_xcdr2 = 2 };
enum { med_unlimited = -1 };

// Policies by which a reader can be turned away.
enum {
    med_policy_presentation = 3, med_policy_deadline = 4, med_policy_latency_budget = 5, med_policy_ownership = 6,
    med_policy_liveliness = 8, med_policy_partition = 10, med_policy_destination_order = 12,
    med_policy_data_representation = 25
};

// Which samples are taken: bits of read or not (1, 2), new instance or not (4, 8), and of the instance.
enum { med_any_state = 127, med_alive = 16, med_disposed = 32, med_no_writers = 64 };
// Bits of a status mask that a waitset waits for.
enum { med_status_data_available = 1 << 8, med_status_publication_matched = 1 << 11 };
// Log categories.
enum { med_log_fatal = 1, med_log_error = 2, med_log_warning = 4, med_log_info = 8, med_log_discovery = 32 };

/// QoS, which belongs to who made it, or to the sample that it came with.
typedef struct med_qos med_qos;

typedef struct med_guid {
    uint8_t bytes[16];
} med_guid;

/// A writer or a reader, as participants announce it.
typedef struct med_endpoint {
    med_guid key;
    med_guid participant_key;
    med_handle participant;
    char *topic_name;
    char *type_name;
    med_qos *qos;
} med_endpoint;

typedef struct med_participant {
    med_guid key;
    med_qos *qos;
} med_participant;

typedef struct med_sample_info {
    uint32_t sample_state;
    uint32_t view_state;
    uint32_t instance_state;
    bool has_data;
    int64_t source_timestamp;
    med_handle instance;
    med_handle publication;
    uint32_t disposed_generation;
    uint32_t no_writers_generation;
    uint32_t sample_rank;
    uint32_t generation_rank;
    uint32_t absolute_generation_rank;
} med_sample_info;

/// How many readers a writer has, or how many writers a reader has.
typedef struct med_matched_status {
    uint32_t total_count;
    int32_t total_change;
    uint32_t current_count;
    int32_t current_change;
    med_handle last;
} med_matched_status;
typedef void (*med_match_note)(med_entity writer, med_matched_status status, void *context);

/// How many others did not match because of their QoS, and by which policy the last.
typedef struct med_incompatible_status {
    uint32_t total_count;
    int32_t total_change;
    uint32_t last_policy;
} med_incompatible_status;

typedef struct med_lost_status {
    uint32_t total_count;
    int32_t total_change;
} med_lost_status;

/// A line of the log: a message of size bytes, and a newline behind it. The header_size bytes before it are time,
/// domain and thread. The field domain is not always filled.
typedef struct med_log_line {
    uint32_t priority;
    uint32_t domain;
    const char *file;
    uint32_t line;
    const char *function;
    const char *message;
    size_t size;
    size_t header_size;
} med_log_line;
typedef void (*med_log_sink)(void *context, const med_log_line *line);

// A type and its messages, as the library knows them.

struct med_type_table;
struct med_data_table;

struct med_type {
    const struct med_type_table *table;
    const struct med_data_table *data_table;
    uint32_t data_hash;
    uint32_t flags;  // bit 0: no key
    uint32_t representations;  // bit 0: XCDR1
    char *name;
    void *domain;
    uint32_t flags_and_references;
    const struct med_type *base;
    void *wrapped;
    uint32_t shared_memory_size;
};

struct med_data {
    const struct med_data_table *table;
    uint32_t hash;
    uint32_t references;
    uint32_t kind;
    const struct med_type *type;
    int64_t timestamp;
    uint32_t status;
    int64_t written;
    void *shared_memory_chunk;
    void *shared_memory_subscriber;
};
enum { med_kind_empty = 0, med_kind_key = 1, med_kind_data = 2 };
enum { med_flag_no_key = 1 };

typedef struct med_key_hash {
    uint8_t bytes[16];
} med_key_hash;

/// A received packet. Its bytes follow it.
struct med_packet {
    uint32_t references;
    void *last_chunk;
    bool is_traced;
    void *buffer;
    void *next_chunk;
    uint64_t size;
};

/// A fragment of a message: the bytes first..<end of it lie at payload_offset of its packet.
struct med_fragment {
    struct med_packet *packet;
    struct med_fragment *next;
    uint32_t first;
    uint32_t end;
    uint16_t submessage_offset;
    uint16_t payload_offset;
    uint16_t key_hash_offset;
};

struct med_type_table {
    void *version;  // the address of ddsi_sertype_v0
    void *argument;
    void (*free)(struct med_type *);
    void (*zero_samples)(const struct med_type *, void *samples, size_t count);
    void (*realloc_samples)(void **, const struct med_type *, void *old, size_t old_count, size_t count);
    void (*free_samples)(const struct med_type *, void **, size_t count, int operation);
    bool (*equal)(const struct med_type *, const struct med_type *);
    uint32_t (*hash)(const struct med_type *);
    void *(*type_id)(const struct med_type *, int kind);
    void *(*type_map)(const struct med_type *);
    void *(*type_information)(const struct med_type *);
    void (*derive)(void);  // not used: null
    size_t (*serialized_size)(const struct med_type *, const void *sample);
    bool (*serialize)(const struct med_type *, const void *sample, void *destination, size_t size);
};

struct med_data_table {
    bool (*equal_key)(const struct med_data *, const struct med_data *);
    uint32_t (*size)(const struct med_data *);
    struct med_data *(*from_fragments)(const struct med_type *, int kind, const struct med_fragment *, size_t size);
    struct med_data *(*from_pieces)(const struct med_type *, int kind, size_t, const struct iovec *, size_t size);
    struct med_data *(*from_key_hash)(const struct med_type *, const med_key_hash *);
    struct med_data *(*from_sample)(const struct med_type *, int kind, const void *sample);
    void (*copy)(const struct med_data *, size_t offset, size_t size, void *destination);
    struct med_data *(*lend)(const struct med_data *, size_t offset, size_t size, struct iovec *);
    void (*take_back)(struct med_data *, const struct iovec *);
    bool (*to_sample)(const struct med_data *, void *sample, void **buffer, void *limit);
    struct med_data *(*to_untyped)(const struct med_data *);
    bool (*untyped_to_sample)(const struct med_type *, const struct med_data *, void *, void **buffer, void *limit);
    void (*free)(struct med_data *);
    size_t (*print)(const struct med_type *, const struct med_data *, char *text, size_t size);
    void (*key_hash)(const struct med_data *, med_key_hash *, bool is_md5);
    uint32_t (*shared_memory_size)(const struct med_data *);
    struct med_data *(*from_shared_memory)(const struct med_type *, int kind, void *subscriber, void *bytes);
};

#include "functions.h"
#include "cdr.h"
