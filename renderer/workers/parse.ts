import { endpointById } from '../../shared/bridge/endpoints/index.ts'
import { MAX_FINDINGS, type Finding } from '../../shared/json/findings.ts'
import { inspectJson } from '../../shared/json/inspect.ts'
import type { ParseResult } from './protocol.ts'

/**
 * Parses the JSON bytes of an answer and compares the value with the response schema of `endpointId` (a row of the endpoint
 * table). A mismatch becomes a finding and never hides data: the value is the parsed one, whatever the schema thinks of it.
 */
export function parseAnswer(endpointId: string, bytes: ArrayBuffer): ParseResult {
  const inspected = inspectJson(new Uint8Array(bytes))
  const mismatches = inspected.ok ? mismatchesOf(endpointId, inspected.value) : []
  const kept = [...inspected.findings, ...mismatches].slice(0, MAX_FINDINGS)
  return {
    value: inspected.value,
    ok: inspected.ok,
    conforms: inspected.ok && mismatches.length === 0,
    findings: kept,
    findingTotal: inspected.findingTotal + mismatches.length,
    bytes,
  }
}

function mismatchesOf(endpointId: string, value: unknown): Finding[] {
  const response = endpointById(endpointId)?.response
  if (response?.kind !== 'json') return []
  const parsed = response.schema.safeParse(value)
  if (parsed.success) return []
  return parsed.error.issues.map((issue) => ({
    kind: 'schema',
    path: pointer(issue.path),
    message: issue.message,
  }))
}

const pointer = (path: readonly PropertyKey[]): string =>
  path.map((step) => `/${String(step).replace(/~/g, '~0').replace(/\//g, '~1')}`).join('')
