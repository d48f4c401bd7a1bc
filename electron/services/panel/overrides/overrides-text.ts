import type { z } from 'zod'
import { setJsonValue } from '../../../core/json/text-edit.ts'
import { JsonFindingList } from '../../../../shared/json/findings.ts'
import { isObject } from '../../../../shared/json/object.ts'
import { listMembers, skipWhiteSpace } from '../../../../shared/json/token-cursor.ts'
import { scanJson } from '../../../../shared/json/scan.ts'
import {
  overrideRuleSchema,
  overridesFileSchema,
  type OverrideRule,
  type OverridesState,
} from '../../../../shared/panel/overrides.ts'
import type { TokenPredicate } from '../../console/collections.ts'

export interface ParsedOverrides {
  readonly rules: readonly OverrideRule[]
  /** Entries that are not valid rules, with their original text. */
  readonly foreignEntries: readonly { readonly index: number; readonly text: string; readonly message: string }[]
}

const EMPTY_FILE_TEXT = '{\n  "version": 1,\n  "rules": []\n}\n'

/** Rules by hand may omit `id`, `on`, `delayMs`. `damage` is why a text has no overrides. */
export function parseOverrides(
  text: string,
  holdsToken: TokenPredicate,
): ParsedOverrides | { readonly damage: string } {
  const findings = new JsonFindingList()
  if (!scanJson(text, findings)) return { damage: 'it is nested too deeply' }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { damage: 'it is not JSON' }
  }
  const file = overridesFileSchema.safeParse(value)
  if (!file.success) return { damage: describeFirstIssue(file.error) }
  const list = listMembers(text, skipWhiteSpace(text, 0)).findLast(({ name }) => name === 'rules')
  const entries = list ? listMembers(text, list.start) : []
  const rules: OverrideRule[] = []
  const foreignEntries: ParsedOverrides['foreignEntries'][number][] = []
  const ids = new Set<string>()
  for (const [index, { start, end }] of entries.entries()) {
    const entry = text.slice(start, end)
    const parsedRule = parseRule(file.data.rules[index], entry, index, holdsToken)
    if (typeof parsedRule === 'string') foreignEntries.push({ index, text: entry, message: parsedRule })
    else {
      // A rule that was copied by hand has the same id as the original.
      const rule = ids.has(parsedRule.id) ? { ...parsedRule, id: createUnusedId(parsedRule.id, ids) } : parsedRule
      ids.add(rule.id)
      rules.push(rule)
    }
  }
  return { rules, foreignEntries }
}

/** Returns a text with the reason if the entry is not a valid rule. */
function parseRule(value: unknown, text: string, index: number, holdsToken: TokenPredicate): OverrideRule | string {
  if (holdsToken(text)) return 'it contains a token'
  if (!isObject(value)) return 'expected an object'
  const findings = new JsonFindingList()
  scanJson(text, findings)
  const inexact = findings.items.find(({ kind }) => kind === 'unsafe-number')
  if (inexact?.kind === 'unsafe-number') return `${inexact.path}: ${inexact.raw} would be rounded to ${inexact.rounded}`
  const parsed = overrideRuleSchema.safeParse({ id: `rule-${index + 1}`, on: true, delayMs: 0, ...value })
  return parsed.success ? parsed.data : describeFirstIssue(parsed.error)
}

function createUnusedId(id: string, usedIds: ReadonlySet<string>): string {
  for (let copy = 2; ; copy += 1) {
    const next = `${id.slice(0, 90)}-${copy}`
    if (!usedIds.has(next)) return next
  }
}

function describeFirstIssue({ issues }: z.ZodError): string {
  const [issue] = issues
  const place = issue?.path.join('.') ?? ''
  return `${place}${place === '' ? '' : ': '}${issue?.message ?? 'unknown'}`
}

/**
 * Returns the text of the file with its rules replaced. Invalid entries keep their text and their
 * position, and unknown members of the file stay as they are. The members of a rule always have the
 * same order and indentation, so that versions of the file can be compared.
 * @param previousText null if there is no file yet.
 */
export function formatOverrides(
  previousText: string | null,
  rules: readonly OverrideRule[],
  foreignEntries: ParsedOverrides['foreignEntries'],
): string {
  const entries = rules.map((rule) =>
    JSON.stringify(overrideRuleSchema.parse(rule), null, 2).replaceAll('\n', '\n    '),
  )
  for (const { index, text } of foreignEntries) entries.splice(index, 0, text)
  const list = entries.length === 0 ? '[]' : `[\n    ${entries.join(',\n    ')}\n  ]`
  const edited = setJsonValue(previousText ?? EMPTY_FILE_TEXT, '/rules', list)
  return 'text' in edited ? edited.text : EMPTY_FILE_TEXT
}

/** Converts parsed overrides to the form that pages receive. */
export function toOverridesState(file: string, { rules, foreignEntries: foreign }: ParsedOverrides): OverridesState {
  return {
    rules: [...rules],
    file,
    problems: foreign.map(({ index, message }) => ({ index, message })),
  }
}
