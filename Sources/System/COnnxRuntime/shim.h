#include <stddef.h>
#include <stdint.h>

// ONNX Runtime's C interface, without its header and without linking it: the library is found at run time.
//
// The library has one exported function, OrtGetApiBase, which leads to a table of functions. The table only ever
// grows at its end, so that the number of a slot never changes once a release has it. All slots here are of version 6
// of the interface (ONNX Runtime 1.6) or older. No function throws into C.

// Values that are filled here and read from several threads: what they point to is made for that.
#define ORT_SENDABLE __attribute__((swift_attr("@Sendable")))

// Objects of the library.
typedef struct OrtStatus OrtStatus;
typedef struct OrtEnv OrtEnv;
typedef struct OrtSession OrtSession;
typedef struct OrtSessionOptions OrtSessionOptions;
typedef struct OrtRunOptions OrtRunOptions;
typedef struct OrtValue OrtValue;
typedef struct OrtMemoryInfo OrtMemoryInfo;
typedef struct OrtArenaCfg OrtArenaCfg;
typedef struct OrtAllocator OrtAllocator;
typedef struct OrtTypeInfo OrtTypeInfo;
typedef struct OrtTensorTypeAndShapeInfo OrtTensorTypeAndShapeInfo;
typedef struct OrtModelMetadata OrtModelMetadata;

/// What OrtGetApiBase gives: the table for a version of the interface (null: not supported), and the release's name.
typedef struct OrtApiBase {
    const void *(*get_api)(uint32_t version);
    const char *(*get_version_string)(void);
} OrtApiBase;

/// The table of functions, which is constant.
typedef struct ORT_SENDABLE OrtFunctions {
    const void *const *slots;
} OrtFunctions;

/// A loaded model and what it lives in; Run may be called by any number of threads at once.
typedef struct ORT_SENDABLE OrtModel {
    OrtEnv *env;
    OrtSession *session;
} OrtModel;

// Numbers of enumerations.
enum { ort_log_error = 3 };
enum { ort_sequential = 0, ort_optimise_all = 99 };
enum { ort_type_tensor = 1 };
enum { ort_element_float = 1 };
enum { ort_device_allocator = 0, ort_arena_allocator = 1, ort_memory_default = 0 };

/// Calls the symbol OrtGetApiBase of a library.
static inline const OrtApiBase *ort_api_base(void *symbol) {
    return symbol ? ((const OrtApiBase *(*)(void))symbol)() : NULL;
}

static inline const char *ort_version_string(const OrtApiBase *base) {
    return base->get_version_string ? base->get_version_string() : NULL;
}

/// The table for a version of the interface; its slots are null where the library does not have that version.
static inline OrtFunctions ort_functions(const OrtApiBase *base, uint32_t version) {
    const OrtFunctions functions = {base->get_api ? (const void *const *)base->get_api(version) : NULL};
    return functions;
}

// The function in a slot, as a function that returns a status: null is success, all else is released by the caller.
#define ORT_STATUS(slot, ...) ((OrtStatus * (*)(__VA_ARGS__)) f.slots[slot])
#define ORT_VOID(slot, type) ((void (*)(type *))f.slots[slot])

// 2: GetErrorMessage, whose text lives as long as the status
static inline const char *ort_error_message(OrtFunctions f, const OrtStatus *status) {
    return ((const char *(*)(const OrtStatus *))f.slots[2])(status);
}

// Environments and sessions.

static inline void ort_discard_log(
    void *parameter, int severity, const char *category, const char *identifier, const char *place, const char *message
) {
    (void)parameter, (void)severity, (void)category, (void)identifier, (void)place, (void)message;
}

// 4: CreateEnvWithCustomLogger, with a logger that drops what it is given
static inline OrtStatus *ort_create_env(OrtFunctions f, const char *name, OrtEnv **out) {
    typedef void (*Logger)(void *, int, const char *, const char *, const char *, const char *);
    return ORT_STATUS(4, Logger, void *, int, const char *, OrtEnv **)(ort_discard_log, NULL, ort_log_error, name, out);
}

// 6: DisableTelemetryEvents
static inline OrtStatus *ort_disable_telemetry(OrtFunctions f, const OrtEnv *env) {
    return ORT_STATUS(6, const OrtEnv *)(env);
}

// 7: CreateSession, from a file
static inline OrtStatus *ort_create_session(
    OrtFunctions f, const OrtEnv *env, const char *path, const OrtSessionOptions *options, OrtSession **out
) {
    return ORT_STATUS(7, const OrtEnv *, const char *, const OrtSessionOptions *, OrtSession **)(
        env, path, options, out
    );
}

// 9: Run, with one input and one output; an output of null is made by the library
static inline OrtStatus *ort_run(
    OrtFunctions f,
    OrtModel model,
    const OrtRunOptions *options,
    const char *input_name,
    const OrtValue *input,
    const char *output_name,
    OrtValue **output
) {
    return ORT_STATUS(
        9, OrtSession *, const OrtRunOptions *, const char *const *, const OrtValue *const *, size_t,
        const char *const *, size_t, OrtValue **
    )(model.session, options, &input_name, &input, 1, &output_name, 1, output);
}

// 10: CreateSessionOptions
static inline OrtStatus *ort_create_session_options(OrtFunctions f, OrtSessionOptions **out) {
    return ORT_STATUS(10, OrtSessionOptions **)(out);
}

// 13: SetSessionExecutionMode
static inline OrtStatus *ort_set_execution_mode(OrtFunctions f, OrtSessionOptions *options, int mode) {
    return ORT_STATUS(13, OrtSessionOptions *, int)(options, mode);
}

// 17: DisableMemPattern
static inline OrtStatus *ort_disable_memory_pattern(OrtFunctions f, OrtSessionOptions *options) {
    return ORT_STATUS(17, OrtSessionOptions *)(options);
}

// 22: SetSessionLogSeverityLevel
static inline OrtStatus *ort_set_log_severity(OrtFunctions f, OrtSessionOptions *options, int level) {
    return ORT_STATUS(22, OrtSessionOptions *, int)(options, level);
}

// 23: SetSessionGraphOptimizationLevel
static inline OrtStatus *ort_set_optimisation(OrtFunctions f, OrtSessionOptions *options, int level) {
    return ORT_STATUS(23, OrtSessionOptions *, int)(options, level);
}

// 24: SetIntraOpNumThreads
static inline OrtStatus *ort_set_inner_threads(OrtFunctions f, OrtSessionOptions *options, int count) {
    return ORT_STATUS(24, OrtSessionOptions *, int)(options, count);
}

// 25: SetInterOpNumThreads
static inline OrtStatus *ort_set_outer_threads(OrtFunctions f, OrtSessionOptions *options, int count) {
    return ORT_STATUS(25, OrtSessionOptions *, int)(options, count);
}

// 130: AddSessionConfigEntry
static inline OrtStatus *ort_set_option(
    OrtFunctions f, OrtSessionOptions *options, const char *key, const char *value
) {
    return ORT_STATUS(130, OrtSessionOptions *, const char *, const char *)(options, key, value);
}

// 144: CreateAndRegisterAllocator, which all sessions of the environment may use
static inline OrtStatus *ort_register_arena(
    OrtFunctions f, OrtEnv *env, const OrtMemoryInfo *memory, const OrtArenaCfg *arena
) {
    return ORT_STATUS(144, OrtEnv *, const OrtMemoryInfo *, const OrtArenaCfg *)(env, memory, arena);
}

// 156: CreateArenaCfg; a strategy of 1 asks the system for as much as is needed, -1 leaves a number to the library
static inline OrtStatus *ort_create_arena_configuration(
    OrtFunctions f, size_t most_bytes, int strategy, OrtArenaCfg **out
) {
    return ORT_STATUS(156, size_t, int, int, int, OrtArenaCfg **)(most_bytes, strategy, -1, -1, out);
}

// What a model has.

// 30: SessionGetInputCount; 31: SessionGetOutputCount
static inline OrtStatus *ort_port_count(OrtFunctions f, OrtModel model, int is_output, size_t *out) {
    return ORT_STATUS(is_output ? 31 : 30, const OrtSession *, size_t *)(model.session, out);
}

// 33: SessionGetInputTypeInfo; 34: SessionGetOutputTypeInfo
static inline OrtStatus *ort_port_type(
    OrtFunctions f, OrtModel model, int is_output, size_t index, OrtTypeInfo **out
) {
    return ORT_STATUS(is_output ? 34 : 33, const OrtSession *, size_t, OrtTypeInfo **)(model.session, index, out);
}

// 36: SessionGetInputName; 37: SessionGetOutputName; the name belongs to the allocator
static inline OrtStatus *ort_port_name(
    OrtFunctions f, OrtModel model, int is_output, size_t index, OrtAllocator *allocator, char **out
) {
    return ORT_STATUS(is_output ? 37 : 36, const OrtSession *, size_t, OrtAllocator *, char **)(
        model.session, index, allocator, out
    );
}

// 55: CastTypeInfoToTensorInfo, which is part of the type; null where the type is no tensor
static inline OrtStatus *ort_tensor_type(
    OrtFunctions f, const OrtTypeInfo *type, const OrtTensorTypeAndShapeInfo **out
) {
    return ORT_STATUS(55, const OrtTypeInfo *, const OrtTensorTypeAndShapeInfo **)(type, out);
}

// 56: GetOnnxTypeFromTypeInfo
static inline OrtStatus *ort_kind_of_type(OrtFunctions f, const OrtTypeInfo *type, int *out) {
    return ORT_STATUS(56, const OrtTypeInfo *, int *)(type, out);
}

// 60: GetTensorElementType
static inline OrtStatus *ort_element_type(OrtFunctions f, const OrtTensorTypeAndShapeInfo *shape, int *out) {
    return ORT_STATUS(60, const OrtTensorTypeAndShapeInfo *, int *)(shape, out);
}

// 61: GetDimensionsCount
static inline OrtStatus *ort_dimension_count(OrtFunctions f, const OrtTensorTypeAndShapeInfo *shape, size_t *out) {
    return ORT_STATUS(61, const OrtTensorTypeAndShapeInfo *, size_t *)(shape, out);
}

// 62: GetDimensions; a dimension that is not known is -1
static inline OrtStatus *ort_dimensions(
    OrtFunctions f, const OrtTensorTypeAndShapeInfo *shape, int64_t *out, size_t count
) {
    return ORT_STATUS(62, const OrtTensorTypeAndShapeInfo *, int64_t *, size_t)(shape, out, count);
}

// 111: SessionGetModelMetadata
static inline OrtStatus *ort_metadata(OrtFunctions f, OrtModel model, OrtModelMetadata **out) {
    return ORT_STATUS(111, const OrtSession *, OrtModelMetadata **)(model.session, out);
}

// 116: ModelMetadataLookupCustomMetadataMap; null where there is no such key, else the value belongs to the allocator
static inline OrtStatus *ort_metadata_value(
    OrtFunctions f, const OrtModelMetadata *metadata, OrtAllocator *allocator, const char *key, char **out
) {
    return ORT_STATUS(116, const OrtModelMetadata *, OrtAllocator *, const char *, char **)(
        metadata, allocator, key, out
    );
}

// 76: AllocatorFree
static inline OrtStatus *ort_free(OrtFunctions f, OrtAllocator *allocator, void *memory) {
    return ORT_STATUS(76, OrtAllocator *, void *)(allocator, memory);
}

// 78: GetAllocatorWithDefaultOptions, which is not released
static inline OrtStatus *ort_default_allocator(OrtFunctions f, OrtAllocator **out) {
    return ORT_STATUS(78, OrtAllocator **)(out);
}

// Values.

// 49: CreateTensorWithDataAsOrtValue, of floats that stay the caller's
static inline OrtStatus *ort_create_float_tensor(
    OrtFunctions f, const OrtMemoryInfo *memory, float *data, size_t byte_count, const int64_t *shape, size_t rank,
    OrtValue **out
) {
    return ORT_STATUS(49, const OrtMemoryInfo *, void *, size_t, const int64_t *, size_t, int, OrtValue **)(
        memory, data, byte_count, shape, rank, ort_element_float, out
    );
}

// 50: IsTensor
static inline OrtStatus *ort_is_tensor(OrtFunctions f, const OrtValue *value, int *out) {
    return ORT_STATUS(50, const OrtValue *, int *)(value, out);
}

// 51: GetTensorMutableData, which lives as long as the value
static inline OrtStatus *ort_tensor_data(OrtFunctions f, OrtValue *value, void **out) {
    return ORT_STATUS(51, OrtValue *, void **)(value, out);
}

// 65: GetTensorTypeAndShape
static inline OrtStatus *ort_tensor_shape(OrtFunctions f, const OrtValue *value, OrtTensorTypeAndShapeInfo **out) {
    return ORT_STATUS(65, const OrtValue *, OrtTensorTypeAndShapeInfo **)(value, out);
}

// 69: CreateCpuMemoryInfo
static inline OrtStatus *ort_create_memory_info(OrtFunctions f, int allocator, OrtMemoryInfo **out) {
    return ORT_STATUS(69, int, int, OrtMemoryInfo **)(allocator, ort_memory_default, out);
}

// 92 to 100: ReleaseEnv, ReleaseStatus, ReleaseMemoryInfo, ReleaseSession, ReleaseValue, ReleaseRunOptions,
// ReleaseTypeInfo, ReleaseTensorTypeAndShapeInfo, ReleaseSessionOptions
static inline void ort_release_env(OrtFunctions f, OrtEnv *x) { ORT_VOID(92, OrtEnv)(x); }
static inline void ort_release_status(OrtFunctions f, OrtStatus *x) { ORT_VOID(93, OrtStatus)(x); }
static inline void ort_release_memory_info(OrtFunctions f, OrtMemoryInfo *x) { ORT_VOID(94, OrtMemoryInfo)(x); }
static inline void ort_release_session(OrtFunctions f, OrtSession *x) { ORT_VOID(95, OrtSession)(x); }
static inline void ort_release_value(OrtFunctions f, OrtValue *x) { ORT_VOID(96, OrtValue)(x); }
static inline void ort_release_type(OrtFunctions f, OrtTypeInfo *x) { ORT_VOID(98, OrtTypeInfo)(x); }
static inline void ort_release_shape(OrtFunctions f, OrtTensorTypeAndShapeInfo *x) {
    ORT_VOID(99, OrtTensorTypeAndShapeInfo)(x);
}
static inline void ort_release_session_options(OrtFunctions f, OrtSessionOptions *x) {
    ORT_VOID(100, OrtSessionOptions)(x);
}
// 118: ReleaseModelMetadata; 157: ReleaseArenaCfg
static inline void ort_release_metadata(OrtFunctions f, OrtModelMetadata *x) { ORT_VOID(118, OrtModelMetadata)(x); }
static inline void ort_release_arena_configuration(OrtFunctions f, OrtArenaCfg *x) { ORT_VOID(157, OrtArenaCfg)(x); }
