// The parts of a recording, whatever holds its bytes: a file (recording-file.ts) or a page.

import {
  byteParts,
  getPartOfEntry,
  getSegmentName,
  getSnapshotInfo,
  lineParts,
  lineSchemas,
  MANIFEST_ENTRY,
  MAX_SEGMENT_LINES,
  RECORDING_FORMAT,
  RECORDING_VERSION,
  recordingManifestSchema,
  REPORT_ENTRY,
  type LinePart,
  type RecordedExchange,
  type RecordedLine,
  type RecordingManifest,
} from '../../shared/recordings/recording.ts'
import type { SnapshotInfo } from '../../shared/snapshots/snapshot.ts'
import { isObject } from '../../shared/json/object.ts'
import { INTEGRITY_PART } from '../core/recordings/seal.ts'
import { assertWithinLimit } from './limits.ts'
import { readLines } from './line-reader.ts'
import { createInvalidError, createRecordingError } from './recording-error.ts'
import type { OtherEntry } from './pieces.ts'
import type { ZipReader } from './zip-reader.ts'
import type { ZipEntry } from './zip-records.ts'

const MAX_MANIFEST_BYTES = 16_777_216
/** A larger body can only be streamed. */
export const MAX_BODY_BYTES = 134_217_728
const MAX_REPORT_BYTES = 67_108_864
const BODY_ENTRY = /^bodies\/\d{6,8}$/
const SCREENSHOT_ENTRY = /^screenshots\/[a-z0-9._-]+$/

/** Entries are checked while they are read, so that an error names the entry. */
export interface RecordingReader {
  readonly manifest: RecordingManifest
  /** Yields them as they began. @throws RECORDING_ENTRY_INVALID, RECORDING_ENTRY_DAMAGED */
  readExchanges(): AsyncGenerator<RecordedExchange>
  /** The lines of a part; none if the file does not have it. */
  readLines<Part extends LinePart>(part: Part): AsyncGenerator<RecordedLine<Part>>
  /** Reads those lines of a part into a list that are selected; the default is all. */
  listLines<Part extends LinePart>(
    part: Part,
    isSelected?: (line: RecordedLine<Part>) => boolean,
  ): Promise<RecordedLine<Part>[]>
  hasBody(name: string): boolean
  /** @throws RECORDING_BODY_MISSING */
  findBody(name: string): ZipEntry
  /** @throws RECORDING_BODY_MISSING, RECORDING_ENTRY_DAMAGED, RECORDING_ENTRY_TOO_LARGE */
  readBody(name: string): Promise<Uint8Array>
  /** @throws the same, as the bytes are read */
  readBodyPieces(name: string): AsyncGenerator<Uint8Array>
  readonly screenshots: readonly string[]
  readScreenshot(name: string): Promise<Uint8Array>
  readReport(): Promise<string | null>
  /** Entries of optional parts that this version does not know. */
  readOtherEntries(): AsyncGenerator<OtherEntry>
  /** The file as a zip, for those who check or rewrite all of it. */
  readonly zip: ZipReader
  close(): Promise<void>
}

/**
 * @throws RECORDING_NOT_A_RECORDING, RECORDING_NEWER, RECORDING_OLDER, RECORDING_PART_UNKNOWN,
 *   RECORDING_ENTRY_NAME, RECORDING_ENTRY_MISSING, RECORDING_ENTRY_INVALID, RECORDING_ENTRY_DAMAGED
 */
export async function readRecording(zip: ZipReader): Promise<RecordingReader> {
  const manifest = await readManifest(zip)
  checkParts(zip, manifest)
  return createReader(zip, manifest)
}

/** The facts of each snapshot. Their lines are mostly cards, so their number tells nothing. */
export async function listSnapshotInfos(recording: Pick<RecordingReader, 'readLines'>): Promise<SnapshotInfo[]> {
  const infos: SnapshotInfo[] = []
  for await (const line of recording.readLines('snapshots')) {
    const info = getSnapshotInfo(line)
    if (info) infos.push(info)
  }
  return infos
}

function createReader(zip: ZipReader, manifest: RecordingManifest): RecordingReader {
  const findBody = (name: string): ZipEntry => {
    const entryName = `bodies/${name}`
    const entry = zip.entries.get(entryName)
    if (entry) return entry
    const message = `The recording does not have the body ${name}.`
    throw createRecordingError('RECORDING_BODY_MISSING', message, { entry: entryName })
  }
  async function* readLinesOf<Part extends LinePart>(part: Part): AsyncGenerator<RecordedLine<Part>> {
    const { entries, lines } = manifest.parts[part] ?? { entries: 0, lines: 0 }
    let remaining = lines ?? 0
    for (let index = 0; index < entries; index += 1) {
      const entry = getSegmentName(part, index)
      let line = 0
      for await (const bytes of readLines(zip.read(entry), entry)) {
        line += 1
        remaining -= 1
        if (remaining < 0) throw createInvalidError(entry, 'the manifest lists fewer lines', line)
        yield parseLine(part, entry, line, bytes)
      }
    }
  }
  return {
    manifest,
    zip,
    readExchanges: () => readLinesOf('exchanges'),
    readLines: readLinesOf,
    async listLines<Part extends LinePart>(part: Part, isSelected = (_line: RecordedLine<Part>): boolean => true) {
      const lines: RecordedLine<Part>[] = []
      for await (const line of readLinesOf(part)) if (isSelected(line)) lines.push(line)
      return lines
    },
    findBody,
    hasBody: (name) => zip.entries.has(`bodies/${name}`),
    readBody: async (name) => zip.readWhole(findBody(name).name, MAX_BODY_BYTES),
    async *readBodyPieces(name) {
      yield* zip.read(findBody(name).name)
    },
    screenshots: [...zip.entries.keys()]
      .filter((name) => name.startsWith('screenshots/'))
      .map((name) => name.slice('screenshots/'.length))
      .sort(),
    readScreenshot: (name) => zip.readWhole(`screenshots/${name}`, MAX_BODY_BYTES),
    async readReport() {
      if (!zip.entries.has(REPORT_ENTRY)) return null
      return (await zip.readWhole(REPORT_ENTRY, MAX_REPORT_BYTES)).toString()
    },
    async *readOtherEntries() {
      for (const name of zip.entries.keys())
        if (!isKnownPart(getPartOfEntry(name))) yield { name, content: zip.read(name) }
    },
    close: () => zip.close(),
  }
}

/** Checks a line against the schema of its part. */
export function parseLine<Part extends LinePart>(
  part: Part,
  entry: string,
  line: number,
  bytes: Uint8Array,
): RecordedLine<Part> {
  const value = parseJson(entry, bytes, line)
  const parsed = lineSchemas[part].safeParse(value)
  if (!parsed.success) throw createInvalidError(entry, describeIssue(parsed.error.issues[0]), line)
  return parsed.data as RecordedLine<Part>
}

async function readManifest(zip: ZipReader): Promise<RecordingManifest> {
  const notRecording = createRecordingError('RECORDING_NOT_A_RECORDING', 'The file is a zip, but not a recording.')
  if (!zip.entries.has(MANIFEST_ENTRY)) throw notRecording
  const value = parseJson(MANIFEST_ENTRY, await zip.readWhole(MANIFEST_ENTRY, MAX_MANIFEST_BYTES))
  if (!isObject(value) || value['format'] !== RECORDING_FORMAT) throw notRecording
  const version = value['version']
  if (typeof version === 'number' && version > RECORDING_VERSION)
    throw createRecordingError(
      'RECORDING_NEWER',
      `${MANIFEST_ENTRY} has the format version ${version}; this program knows ${RECORDING_VERSION}.`,
      { entry: MANIFEST_ENTRY, version },
    )
  if (typeof version === 'number' && version < RECORDING_VERSION)
    throw createRecordingError(
      'RECORDING_OLDER',
      `${MANIFEST_ENTRY} has the format version ${version}, which was never released: its seal did not find every change.`,
      { entry: MANIFEST_ENTRY, version },
    )
  const { data, error } = recordingManifestSchema.safeParse(value)
  if (!data) throw createInvalidError(MANIFEST_ENTRY, describeIssue(error.issues[0]))
  for (const part of data.requiredParts)
    if (!isKnownPart(part))
      throw createRecordingError(
        'RECORDING_PART_UNKNOWN',
        `${MANIFEST_ENTRY} requires the part ${part}, which this program does not know.`,
        { entry: MANIFEST_ENTRY, part },
      )
  return data
}

/** Checks that the file has exactly the entries of which its manifest speaks. */
function checkParts(zip: ZipReader, { parts }: RecordingManifest): void {
  const counts = new Map<string, number>()
  for (const name of zip.entries.keys()) {
    const part = getPartOfEntry(name)
    if (name === MANIFEST_ENTRY || part === INTEGRITY_PART) continue
    if (!Object.hasOwn(parts, part) || !isNameOfPart(part, name)) throw createUnlistedError(name)
    counts.set(part, (counts.get(part) ?? 0) + 1)
  }
  let totalLines = 0
  for (const [part, { entries, lines }] of Object.entries(parts)) {
    const present = counts.get(part) ?? 0
    // The number of the manifest may be any, so it bounds nothing.
    const names = lines === null ? [] : Array.from({ length: present }, (_, index) => getSegmentName(part, index))
    const missing = names.find((name) => !zip.entries.has(name))
    totalLines += lines ?? 0
    assertWithinLimit('lines', totalLines)
    if (part === 'exchanges') assertWithinLimit('exchanges', lines ?? 0)
    if (missing !== undefined || present < entries)
      throw createRecordingError(
        'RECORDING_ENTRY_MISSING',
        `The manifest lists ${entries} entries of ${part}; the file has ${present}${missing === undefined ? '' : `, without ${missing}`}.`,
        { entry: missing ?? part },
      )
    if (present > entries) throw createUnlistedError(part)
    if ((lines ?? 0) > present * MAX_SEGMENT_LINES || (lines === null) === Object.hasOwn(lineSchemas, part))
      throw createInvalidError(MANIFEST_ENTRY, `parts.${part}: its number of lines is none that it can have`)
  }
}

const createUnlistedError = (entry: string): Error =>
  createRecordingError('RECORDING_ENTRY_NAME', `The manifest does not list ${entry}.`, { entry })

const knownParts: ReadonlySet<string> = new Set([...lineParts, ...byteParts, INTEGRITY_PART, 'manifest'])
export function isKnownPart(part: string): boolean {
  return knownParts.has(part)
}

function isNameOfPart(part: string, name: string): boolean {
  if (part === 'bodies') return BODY_ENTRY.test(name)
  if (part === 'screenshots') return SCREENSHOT_ENTRY.test(name)
  return part !== 'report' || name === REPORT_ENTRY
}

function parseJson(entry: string, bytes: Uint8Array, line?: number): unknown {
  try {
    return JSON.parse(decoder.decode(bytes)) as unknown
  } catch {
    throw createInvalidError(entry, 'it is not JSON in UTF-8', line)
  }
}
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function describeIssue(issue: { readonly path: readonly PropertyKey[]; readonly message: string } | undefined): string {
  const trail = (issue?.path ?? []).map(String).join('.')
  return `${trail === '' ? '' : `${trail}: `}${issue?.message ?? 'it does not fit'}`
}
