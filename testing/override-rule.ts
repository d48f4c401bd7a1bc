import { overrideRuleSchema, type OverrideRule } from '../shared/panel/overrides.ts'
import type { Override } from './api.ts'

/**
 * Fills in what a test may leave out of a rule.
 * @throws TypeError that names the rule and what is wrong with it
 */
export function toOverrideRule({ name, match, answer, delayMs = 0 }: Override, index: number): OverrideRule {
  // A test without types may leave out any member.
  const { method = '*', path } = (match as Partial<Override['match']> | undefined) ?? {}
  const isCanned = (answer as Partial<Override['answer']> | undefined)?.kind === 'canned'
  const { success, data, error } = overrideRuleSchema.safeParse({
    id: `rule-${index + 1}`,
    name: name ?? `${method} ${path}`,
    on: true,
    match: { ...match, method },
    answer: isCanned ? fillCannedResponse(answer as CannedResponse) : answer,
    delayMs,
  })
  if (success) return data
  const problems = error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new TypeError(`overrides[${index}] is no valid rule: ${problems.join('; ')}`)
}

type CannedResponse = Extract<Override['answer'], { kind: 'canned' }>

function fillCannedResponse({ status = 200, headers, body, base64 = false }: CannedResponse) {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? null)
  return { kind: 'canned', status, headers: headers ?? [['Content-Type', 'application/json']], body: text, base64 }
}
