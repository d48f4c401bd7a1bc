import type { z } from 'zod'
import { setJsonValue } from '../../../../shared/json/text-edit.ts'
import { FindingList } from '../../../../shared/json/findings.ts'
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

/** What a file of overrides says. */
export interface OverridesText {
  readonly rules: readonly OverrideRule[]
  /** Entries that are no rules, with their text as it stands there. */
  readonly foreignEntries: readonly { readonly index: number; readonly text: string; readonly message: string }[]
}

const EMPTY = '{\n  "version": 1,\n  "rules": []\n}\n'

/**
 * Reads the text of a file of overrides. `id`, `on` and `delayMs` may be left out by whoever writes
 * it by hand. Returns what is wrong if it is no such file at all.
 */
export function parseOverrides(text: string, holdsToken: TokenPredicate): OverridesText | { readonly damage: string } {
  const findings = new FindingList()
  if (!scanJson(text, findings)) return { damage: 'it is nested too deeply' }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { damage: 'it is not JSON' }
  }
  const file = overridesFileSchema.safeParse(value)
  if (!file.success) return { damage: describe(file.error) }
  const list = listMembers(text, skipWhiteSpace(text, 0)).findLast(({ name }) => name === 'rules')
  const entries = list ? listMembers(text, list.start) : []
  const rules: OverrideRule[] = []
  const foreign: OverridesText['foreignEntries'][number][] = []
  const ids = new Set<string>()
  for (const [index, { start, end }] of entries.entries()) {
    const entry = text.slice(start, end)
    const read = readRule(file.data.rules[index], entry, index, holdsToken)
    if (typeof read === 'string') foreign.push({ index, text: entry, message: read })
    else {
      // Whoever copies a rule by hand copies its id as well.
      const rule = ids.has(read.id) ? { ...read, id: unusedId(read.id, ids) } : read
      ids.add(rule.id)
      rules.push(rule)
    }
  }
  return { rules, foreignEntries: foreign }
}

/** A rule, or what is wrong with the entry. */
function readRule(value: unknown, text: string, index: number, holdsToken: TokenPredicate): OverrideRule | string {
  if (holdsToken(text)) return 'it contains a token'
  if (!isObject(value)) return 'expected an object'
  const findings = new FindingList()
  scanJson(text, findings)
  const inexact = findings.items.find(({ kind }) => kind === 'unsafe-number')
  if (inexact?.kind === 'unsafe-number') return `${inexact.path}: ${inexact.raw} would be rounded to ${inexact.rounded}`
  const parsed = overrideRuleSchema.safeParse({ id: `rule-${index + 1}`, on: true, delayMs: 0, ...value })
  return parsed.success ? parsed.data : describe(parsed.error)
}

function unusedId(id: string, usedIds: ReadonlySet<string>): string {
  for (let copy = 2; ; copy += 1) {
    const next = `${id.slice(0, 90)}-${copy}`
    if (!usedIds.has(next)) return next
  }
}

/** The first thing that is wrong, with its place. */
function describe({ issues }: z.ZodError): string {
  const [issue] = issues
  const place = issue?.path.join('.') ?? ''
  return `${place}${place === '' ? '' : ': '}${issue?.message ?? 'unknown'}`
}

/**
 * The text of the file with other rules. Entries that are no rules keep their text and their place
 * in the list, other members of the file stay as they are. Rules are indented by two spaces a
 * level, with their members always in the same order, so that they can be compared.
 */
export function formatOverrides(
  before: string | null,
  rules: readonly OverrideRule[],
  foreign: OverridesText['foreignEntries'],
): string {
  const entries = rules.map((rule) =>
    JSON.stringify(overrideRuleSchema.parse(rule), null, 2).replaceAll('\n', '\n    '),
  )
  for (const { index, text } of foreign) entries.splice(index, 0, text)
  const list = entries.length === 0 ? '[]' : `[\n    ${entries.join(',\n    ')}\n  ]`
  const edited = setJsonValue(before ?? EMPTY, '/rules', list)
  return 'text' in edited ? edited.text : EMPTY
}

/** What a page is told. */
export const toOverridesState = (file: string, { rules, foreignEntries: foreign }: OverridesText): OverridesState => ({
  rules: [...rules],
  file,
  problems: foreign.map(({ index, message }) => ({ index, message })),
})
