// Reads all lines of a recording at once, and bodies when they are opened.

import { openEmbeddedRecording } from '../../electron/recording-page/embedded-recording.ts'
import type { RecordingReader } from '../../electron/recording-file/recording-reader.ts'
import { isBindingDeviation, type Deviation } from '../../shared/contract/deviation.ts'
import type { OverrideRule } from '../../shared/panel/overrides.ts'
import type { Finding } from '../../shared/protocol/finding.ts'
import { findInitiatorPlace, type InitiatorPlace } from '../../shared/traffic/call-initiator.ts'
import type { ExchangeDetail } from '../../shared/traffic/exchange.ts'
import {
  toExchangeDetail,
  type RecordedMoment,
  type RecordedPanelNote,
  type RecordedOperation,
  type RecordedStep,
  type RecordingManifest,
} from '../../shared/recordings/recording.ts'

export interface RecordedPage {
  readonly reader: RecordingReader
  readonly manifest: RecordingManifest
  readonly exchanges: ReadonlyMap<number, ExchangeDetail>
  readonly findings: readonly Finding[]
  /** Keyed by the `seq` of an exchange, with the findings to which it contributes. */
  readonly findingsBySeq: ReadonlyMap<number, readonly Finding[]>
  readonly initiators: ReadonlyMap<number, InitiatorPlace>
  readonly operations: readonly RecordedOperation[]
  readonly steps: readonly RecordedStep[]
  readonly moments: readonly RecordedMoment[]
  readonly console: readonly RecordedPanelNote[]
  readonly overrides: readonly OverrideRule[]
  readonly deviations: readonly Deviation[]
}

/** @throws SyntaxError or DOMException if the text is no base64, and what the reader throws */
export async function readRecordedPage(bytes: Uint8Array<ArrayBuffer>): Promise<RecordedPage> {
  const reader = await openEmbeddedRecording(bytes)
  const exchanges = new Map<number, ExchangeDetail>()
  const initiators = new Map<number, InitiatorPlace>()
  for await (const line of reader.readExchanges()) {
    const { seq } = line.row
    exchanges.set(seq, toExchangeDetail(line))
    const place = line.initiator ? findInitiatorPlace(line.initiator) : null
    if (place) initiators.set(seq, place)
  }
  const findings = await reader.listLines('findings')
  const findingsBySeq = new Map<number, Finding[]>()
  for (const finding of findings)
    for (const seq of finding.exchanges) findingsBySeq.set(seq, [...(findingsBySeq.get(seq) ?? []), finding])
  return {
    reader,
    manifest: reader.manifest,
    exchanges,
    findings,
    findingsBySeq,
    initiators,
    operations: await reader.listLines('operations'),
    steps: (await reader.listLines('steps')).filter(({ text, screenshot }) => text !== '' || screenshot !== null),
    moments: await reader.listLines('moments'),
    // The console of the panel lab has no clicks, either.
    console: await reader.listLines('console', ({ kind }) => kind !== 'click'),
    overrides: await reader.listLines('overrides'),
    // A deviation that only another host showed is held against nobody.
    deviations: await reader.listLines('deviations', isBindingDeviation),
  }
}

/** The calls that began since the picture before, and the one for which it was taken. */
export function listCallsOfMoment({ moments, exchanges }: RecordedPage, moment: RecordedMoment): number[] {
  const earlier = moments[moments.indexOf(moment) - 1]?.at ?? -Infinity
  return [...exchanges.values()]
    .map(({ row }) => row)
    .filter(({ seq, startedAt }) => (startedAt > earlier && startedAt <= moment.at) || seq === moment.exchange)
    .map(({ seq }) => seq)
}

/** `atob` takes a text of any length, but makes one string of all of its bytes. */
const SLICE_CHARS = 4 * 262_144

/** @throws DOMException if the text is no base64 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const source = text.trim()
  const padding = source.endsWith('==') ? 2 : source.endsWith('=') ? 1 : 0
  const bytes = new Uint8Array(Math.max(0, (source.length / 4) * 3 - padding))
  let offset = 0
  for (let start = 0; start < source.length; start += SLICE_CHARS) {
    const slice = atob(source.slice(start, start + SLICE_CHARS))
    for (let index = 0; index < slice.length; index += 1) bytes[offset + index] = slice.charCodeAt(index)
    offset += slice.length
  }
  return bytes
}
