import type { JsonId, ResponseOf } from '../../shared/bridge/endpoints/index.ts'
import { readAnswer } from '../../shared/bridge/read-answer.ts'
import { misfits, readOtherwise } from '../model/answers/misfits.ts'
import { MAX_FINDINGS } from '../../shared/json/findings.ts'
import { inspectJson } from '../../shared/json/inspect.ts'
import type { ParseResult } from './protocol.ts'

/**
 * Parses an answer's JSON bytes and keeps what fits the response schema of `endpointId`. What doesn't fit is among the findings, with its
 * location and its text as sent; it comes first, because it is not part of the value. Null = no schema: only the bytes are inspected.
 */
export function parseAnswer<Id extends JsonId>(endpointId: Id | null, bytes: ArrayBuffer): ParseResult<ResponseOf<Id>> {
  const { ok, value: sent, text, findings, findingTotal } = inspectJson(new Uint8Array(bytes))
  if (!ok || endpointId === null) {
    return { ok, value: undefined, conforms: false, left: 0, lists: {}, findings, findingTotal, bytes }
  }
  const { value, problems, total, left, lists, readAs } = readAnswer(endpointId, sent)
  return {
    ok,
    value,
    conforms: total === 0,
    left,
    lists,
    findings: [...misfits(problems, text), ...findings, ...readOtherwise(readAs)].slice(0, MAX_FINDINGS),
    findingTotal: findingTotal + total + readAs.length,
    bytes,
  }
}
