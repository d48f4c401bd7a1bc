import { createHash } from 'node:crypto'
import { createRefusedError } from '../../../shared/errors.ts'
import { MAX_COMPARED_EXCHANGES, type RunSource } from '../../../shared/ipc/recordings.ts'
import { inspectJson } from '../../../shared/json/inspection.ts'
import type { RunOperation } from '../../core/recordings/comparison/run-comparison.ts'
import type { RecordedExchange, RecordingManifest } from '../../../shared/recordings/recording.ts'
import { backgroundOriginKinds } from '../../../shared/traffic/exchange.ts'
import { openRecording, type RecordingFile } from '../../recording-file/recording-file.ts'
import { selectExchanges } from './exchange-selection.ts'
import { readContent } from '../../recording-file/pieces.ts'
import { listRelatedParts, readBody, readExchanges, type PartSources } from './recorded-parts.ts'

/** An exchange of a run, and what its request body is compared by. */
export interface ReadExchange {
  readonly exchange: RecordedExchange
  /** Equal bodies have equal texts: JSON, or a hash of a long or invalid one. Null without one. */
  readonly requestText: string | null
}

/** A run that can be read until it is closed. */
export interface RunReader {
  readonly redaction: RecordingManifest['redaction']
  /** Yields exchanges in the order in which they began. @throws RUN_TOO_LONG */
  readExchanges(): AsyncGenerator<ReadExchange>
  readOperations(): AsyncIterable<RunOperation>
  /** Null if the body is no longer stored. */
  loadBody(hash: string): Promise<Uint8Array | null>
  close(): Promise<void>
}

export interface RunSources extends PartSources {
  /** @throws RECORDING_UNKNOWN */
  readonly getFile: (id: string) => string
}

/** A longer request body is compared by its hash. */
const MAX_REQUEST_BYTES = 262_144

/** @throws the errors of opening a recording, RECORDING_UNKNOWN, SELECTION_EMPTY */
export function openRun(source: RunSource, sources: RunSources, signal: AbortSignal): Promise<RunReader> {
  return source.from === 'list'
    ? openFileRun(sources.getFile(source.id), signal)
    : openStoredRun({ kind: 'filter', filter: source.filter }, sources, signal)
}

/** @throws the errors of opening a recording */
export async function openFileRun(file: string, signal: AbortSignal): Promise<RunReader> {
  const recording = await openRecording(file)
  const loadBody = async (hash: string): Promise<Uint8Array | null> =>
    recording.hasBody(hash) ? recording.readBody(hash) : null
  return {
    redaction: recording.manifest.redaction,
    readExchanges: () => readRequests(recording.readExchanges(), loadBody, (name) => hashBody(recording, name), signal),
    readOperations: () => recording.readLines('operations'),
    loadBody,
    close: () => recording.close(),
  }
}

async function openStoredRun(
  input: Parameters<typeof selectExchanges>[0],
  sources: PartSources,
  signal: AbortSignal,
): Promise<RunReader> {
  const selection = await selectExchanges(input, sources, signal)
  const loadBody = async (hash: string): Promise<Uint8Array | null> => {
    const place = selection.bodies.get(hash)
    const body = place === undefined ? null : await readBody(sources.store, place)
    return body && readContent(body)
  }
  return {
    redaction: null,
    readExchanges: () =>
      readRequests(readExchanges(selection, sources.store, signal), loadBody, (name) => Promise.resolve(name), signal),
    async *readOperations() {
      yield* (await listRelatedParts(selection, sources)).operations
    },
    loadBody,
    close: () => Promise.resolve(),
  }
}

async function* readRequests(
  exchanges: AsyncIterable<RecordedExchange>,
  loadBody: RunReader['loadBody'],
  identifyBody: IdentifyBody,
  signal: AbortSignal,
): AsyncGenerator<ReadExchange> {
  let count = 0
  for await (const exchange of exchanges) {
    signal.throwIfAborted()
    // Background requests of the program belong to no run.
    if (exchange.context === true || backgroundOriginKinds.includes(exchange.row.origin.kind)) continue
    count += 1
    if (count > MAX_COMPARED_EXCHANGES)
      throw createRefusedError(
        'RUN_TOO_LONG',
        `A run has more than ${MAX_COMPARED_EXCHANGES} requests. Save a part of it and compare that.`,
        { max: MAX_COMPARED_EXCHANGES },
      )
    yield { exchange, requestText: await readRequestText(exchange, loadBody, identifyBody) }
  }
}

async function readRequestText(
  { request, requestBody }: RecordedExchange,
  loadBody: RunReader['loadBody'],
  identifyBody: IdentifyBody,
): Promise<string | null> {
  if (requestBody === null) return null
  if (request.kept > MAX_REQUEST_BYTES) return identifyBody(requestBody)
  const bytes = await loadBody(requestBody)
  if (bytes === null) return requestBody
  const { text, isValid } = inspectJson(bytes)
  return isValid ? text : identifyBody(requestBody)
}

/** Returns what equal bodies of two runs have in common. */
type IdentifyBody = (name: string) => Promise<string>

/** Two files name equal bodies differently. */
async function hashBody(recording: RecordingFile, name: string): Promise<string> {
  const sum = createHash('sha256')
  if (recording.hasBody(name)) for await (const chunk of recording.openBody(name)) sum.update(chunk as Uint8Array)
  return sum.digest('hex')
}
