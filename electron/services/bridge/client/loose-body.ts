import { inspectJson } from '../../../../shared/json/inspect.ts'

/** The value of a JSON body; `otherwise` for one that is missing, is not JSON, or that two programs could read in two ways. */
export function parsedOr(bytes: Buffer | null, otherwise: unknown): unknown {
  if (bytes === null) return otherwise
  const { ok, value, findings } = inspectJson(bytes)
  return ok && findings.length === 0 ? value : otherwise
}
