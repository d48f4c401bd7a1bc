import { z } from 'zod'
import { trafficFilterSchema } from '../traffic/traffic-filter.ts'
import { defineBinaryQueryMethod, defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'

const emptySchema = z.strictObject({})
const count = z.number().int().nonnegative()
const recordingId = z.string().min(1).max(100)
const seq = z.number().int().positive()

export const MAX_SELECTED_EXCHANGES = 100_000
export const MAX_RECORDING_NAME_CHARS = 200
export const MAX_STEPS_CHARS = 20_000
export const MAX_RECORDING_SLICE_BYTES = 8 * 1024 * 1024
/** A preview has at most this many samples of each kind. */
export const MAX_SAMPLES_PER_KIND = 20

/** What is saved. Everything that belongs to the selected exchanges is saved with them. */
export const recordingSelectionSchema = z.discriminatedUnion('kind', [
  /** A span, an origin or one load of a panel. */
  z.strictObject({ kind: z.literal('filter'), filter: trafficFilterSchema }),
  /** Exchanges that the user chose, such as the two of a comparison. */
  z.strictObject({ kind: z.literal('exchanges'), seqs: z.array(seq).min(1).max(MAX_SELECTED_EXCHANGES) }),
  /** The id of a group of findings. */
  z.strictObject({ kind: z.literal('finding'), id: z.string().min(1).max(2_000) }),
  z.strictObject({ kind: z.literal('operation'), id: z.string().min(1).max(100) }),
])
export type RecordingSelection = z.infer<typeof recordingSelectionSchema>

export const recordingPolicySchema = z.strictObject({
  /** Texts of the library. Placeholders have the same length, and are equal for equal texts. */
  texts: z.enum(['keep', 'placeholder', 'drop']),
  ids: z.enum(['keep', 'map']),
  pictures: z.enum(['keep', 'grey', 'drop']),
})
export type RecordingPolicy = z.infer<typeof recordingPolicySchema>

export const DEFAULT_RECORDING_POLICY: RecordingPolicy = { texts: 'placeholder', ids: 'keep', pictures: 'grey' }

const partCountsSchema = z.strictObject({
  exchanges: count,
  operations: count,
  findings: count,
  deviations: count,
  console: count,
  overrides: count,
  snapshots: count,
  screenshots: count,
  bodies: count,
})
export type RecordingCounts = z.infer<typeof partCountsSchema>

const spanSchema = z.strictObject({ from: z.number(), to: z.number() })

const leftOutSchema = z.strictObject({
  /** A part of the recording, such as `bodies`. */
  what: z.string().max(100),
  count,
  /** Why, as a code: `limit`, `removed`, `secret`, … */
  why: z.string().max(100),
})
export type RecordingOmission = z.infer<typeof leftOutSchema>

const servedSchema = z.strictObject({
  /** Address of the bridge that responds as recorded. */
  baseUrl: z.string(),
  /** File that holds the token for the address. */
  tokenFile: z.string(),
})

/** A recording that the data directory knows. Members are null if the file was never readable. */
export const recordingEntrySchema = z.strictObject({
  id: z.string(),
  /** Absolute path. */
  file: z.string(),
  name: z.string(),
  /** Null if the file is from elsewhere. */
  savedAt: z.number().nullable(),
  openedAt: z.number().nullable(),
  /** True if the file is no longer where it was. */
  isRemoved: z.boolean(),
  bytes: count.nullable(),
  span: spanSchema.nullable(),
  host: z.strictObject({ baseUrl: z.string().nullable(), name: z.string().nullable(), version: z.string().nullable() }),
  counts: partCountsSchema.nullable(),
  /** Null if nothing was replaced. */
  redaction: recordingPolicySchema.nullable(),
  /** Fingerprint of the key of the first signature; null if the file is not signed. */
  fingerprint: z.string().nullable(),
  /** Null unless this program serves the recording now. */
  served: servedSchema.nullable(),
})
export type RecordingEntry = z.infer<typeof recordingEntrySchema>

export const sampleKinds = ['text', 'id', 'picture', 'token'] as const

const sampleSchema = z.strictObject({
  kind: z.enum(sampleKinds),
  /** Where it stands: the part, and a path or pointer in it. */
  place: z.string(),
  before: z.string(),
  /** Null if it is dropped. */
  after: z.string().nullable(),
})
export type RedactionSample = z.infer<typeof sampleSchema>

const previewSchema = z.strictObject({
  counts: partCountsSchema,
  /** Of the stored bodies, before compression; equal ones are counted once. */
  bodyBytes: count,
  span: spanSchema.nullable(),
  hosts: z.array(z.string()),
  /** Reads of the connection before the span, without which nothing could be opened. */
  contextExchanges: count,
  leftOut: z.array(leftOutSchema),
  /** What remains, and what it becomes. */
  samples: z.array(sampleSchema),
  /** How many values each kind has in the exchanges that were looked at. */
  replaced: z.strictObject({ text: count, id: count, picture: count, token: count }),
  /** Number of exchanges that the samples were taken from. */
  sampledExchanges: count,
})
export type RecordingPreview = z.infer<typeof previewSchema>

const chosenSchema = { selection: recordingSelectionSchema, redaction: recordingPolicySchema }

const infoSchema = z.strictObject({
  entry: recordingEntrySchema,
  formatVersion: z.number().int(),
  program: z.string(),
  createdAt: z.number(),
  requiredParts: z.array(z.string()),
  /** Parts that this version does not know, and keeps as they are. */
  unknownParts: z.array(z.string()),
  leftOut: z.array(leftOutSchema),
  /** Steps and words of the user. */
  steps: z.string(),
  signatures: z.array(z.strictObject({ fingerprint: z.string(), isOwn: z.boolean() })),
})
export type RecordingInfo = z.infer<typeof infoSchema>

const verificationSchema = z.strictObject({
  /** True if nothing was altered since it was signed; values that were removed do not count. */
  isIntact: z.boolean(),
  signatures: z.array(z.strictObject({ fingerprint: z.string(), isValid: z.boolean(), isOwn: z.boolean() })),
  /** Entries whose bytes are not those that were signed. */
  altered: z.array(z.strictObject({ entry: z.string(), reason: z.string() })),
  /** Number of values that a redaction removed, by entry. */
  removed: z.array(z.strictObject({ entry: z.string(), count })),
})
export type RecordingVerification = z.infer<typeof verificationSchema>

/** A recording that the program shows in place of a host. */
const openRecordingSchema = z.strictObject({
  entry: recordingEntrySchema,
  /** When it was opened. */
  openedAt: z.number(),
})
export type OpenRecording = z.infer<typeof openRecordingSchema>

export const recordingSourceSchema = z.discriminatedUnion('from', [
  z.strictObject({ from: z.literal('list'), id: recordingId }),
  z.strictObject({ from: z.literal('path'), path: z.string().min(1).max(4_000) }),
  /** A file that the page has uploaded with `uploads.begin` and `uploads.add`. */
  z.strictObject({
    from: z.literal('upload'),
    uploadId: z.string().max(100),
    name: z.string().max(MAX_RECORDING_NAME_CHARS),
  }),
])
export type RecordingSource = z.infer<typeof recordingSourceSchema>

/** The page chooses it, and finds the progress of its own job by it. */
const jobId = z.string().min(1).max(100)

export const recordingsMethods = {
  /** The newest first. */
  'recordings.list': defineQueryMethod(emptySchema, z.strictObject({ recordings: z.array(recordingEntrySchema) })),
  /**
   * What would be saved. Nothing is written.
   * @throws SELECTION_EMPTY if nothing is selected (any more)
   */
  'recordings.preview': defineQueryMethod(z.strictObject(chosenSchema), previewSchema),
  /**
   * Writes the selection to a file. The desktop app asks where; in the browser the file is kept in
   * the data directory, from where the page downloads it. Cancelling leaves no file.
   * @returns null if the user closed the dialog
   * @throws SELECTION_EMPTY, RECORDING_WRITE_FAILED
   */
  'recordings.save': defineCommandMethod(
    z.strictObject({
      ...chosenSchema,
      jobId,
      name: z.string().min(1).max(MAX_RECORDING_NAME_CHARS),
      /** Steps and words of the user, in Markdown. */
      steps: z.string().max(MAX_STEPS_CHARS),
    }),
    z.strictObject({ entry: recordingEntrySchema.nullable() }),
  ),
  /** @throws RECORDING_UNKNOWN, and the errors of reading a recording */
  'recordings.info': defineQueryMethod(z.strictObject({ id: recordingId }), infoSchema),
  /** Reads the whole file. @throws RECORDING_UNKNOWN, and the errors of reading a recording */
  'recordings.verify': defineQueryMethod(z.strictObject({ id: recordingId, jobId }), verificationSchema),
  /** Writes a further file with less in it. The first one stays. @returns null if cancelled */
  'recordings.redact': defineCommandMethod(
    z.strictObject({ id: recordingId, jobId, redaction: recordingPolicySchema }),
    z.strictObject({ entry: recordingEntrySchema.nullable() }),
  ),
  /** Removes it from the list, and with `removesFile` the file, if this program wrote it. */
  'recordings.forget': defineCommandMethod(z.strictObject({ id: recordingId, removesFile: z.boolean() }), emptySchema),
  /** Bytes `start` to `end` (exclusive) of the file. @throws RECORDING_UNKNOWN */
  'recordings.slice': defineBinaryQueryMethod(
    z.strictObject({ id: recordingId, start: count, end: z.number().int().positive() }),
    z.strictObject({ start: count, total: count }),
  ),
  /** Responds as recorded at an address of this machine, until it is stopped. */
  'recordings.serve': defineCommandMethod(z.strictObject({ id: recordingId }), recordingEntrySchema),
  'recordings.stopServing': defineCommandMethod(z.strictObject({ id: recordingId }), recordingEntrySchema),
  /**
   * Shows a recording in place of the host. Pages must reload then.
   * @throws the errors of reading a recording; nothing is opened then
   */
  'recordings.open': defineCommandMethod(z.strictObject({ source: recordingSourceSchema }), openRecordingSchema),
  /** Goes back to what was shown before. */
  'recordings.close': defineCommandMethod(emptySchema, emptySchema),
  'recordings.current': defineQueryMethod(emptySchema, z.strictObject({ open: openRecordingSchema.nullable() })),
  /**
   * Asks the user for a file; the path is null if they cancel.
   * @throws NOT_HERE in the browser
   */
  'recordings.choose': defineCommandMethod(emptySchema, z.strictObject({ path: z.string().nullable() })),
  /** Shows the file in the folder of the system. @throws NOT_HERE in the browser */
  'recordings.reveal': defineCommandMethod(z.strictObject({ id: recordingId }), emptySchema),
}

export const recordingsTopics = {
  /** The list changed, or what is served. */
  'recordings.changed': defineTopic(emptySchema),
  /** A recording was opened or closed, so every page must be loaded again. */
  'recordings.sessionChanged': defineTopic(z.strictObject({ open: openRecordingSchema.nullable() })),
  /** How far `save`, `redact` or `verify` is; `total` is null as long as it is unknown. */
  'recordings.progress': defineTopic(z.strictObject({ jobId, done: count, total: count.nullable() })),
}
