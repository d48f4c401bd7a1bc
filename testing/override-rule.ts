import { overrideRuleSchema, type OverrideRule } from '../shared/panel/overrides.ts'
import type { Override } from './api.ts'

/**
 * Fills in what a test may leave out of a rule.
 * @throws TypeError that names the rule and what is wrong with it
 */
export function toOverrideRule({ name, match, answer, delayMs = 0 }: Override, index: number): OverrideRule {
  const { success, data, error } = overrideRuleSchema.safeParse({
    id: `rule-${index + 1}`,
    name: name ?? `${match.method ?? '*'} ${match.path}`,
    on: true,
    match: { ...match, method: match.method ?? '*' },
    answer: answer.kind === 'canned' ? fillCannedResponse(answer) : answer,
    delayMs,
  })
  if (success) return data
  const problems = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new TypeError(`overrides[${index}] is no valid rule: ${problems.join('; ')}`)
}

function fillCannedResponse({
  status = 200,
  headers,
  body,
  base64 = false,
}: Extract<Override['answer'], { kind: 'canned' }>) {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? null)
  return { kind: 'canned', status, headers: headers ?? [['Content-Type', 'application/json']], body: text, base64 }
}
