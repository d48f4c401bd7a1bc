import type { z } from 'zod'
import { findEndpointById, lookUpByEndpoint, type EndpointMap } from '../../../shared/bridge/endpoints/index.ts'
import { noteItemSchema } from '../../../shared/bridge/resources/notes.ts'
import { getSchemaPlan, type SchemaPlan } from '../../../shared/bridge/resources/schema-plan.ts'
import { getKindOfMember, getKindOfPlan, type StringKind } from './member-kinds.ts'
import { getTextKind, type TextKind } from '../../../shared/recordings/redaction/redaction-tally.ts'

export interface ValueRule {
  /** Kind of the value itself if it is a string, and of the strings of a list. */
  readonly kind: StringKind
  readonly textKind: TextKind
  readonly name: string
  /** Members that the contract shows; null if it shows none, so that their names may be data. */
  readonly members: ReadonlyMap<string, ValueRule> | null
  /** Rule of the elements of a list; null if it is this rule. */
  readonly element: ValueRule | null
  /** Rule of lists under a name that the contract does not show; null if there are none. */
  readonly unnamedElement: ValueRule | null
  /** Kind of members, at any depth, about which the contract says nothing. */
  readonly otherKind: StringKind
}

const createLeaf = (name: string, kind: StringKind, otherKind: StringKind = 'text'): ValueRule => ({
  name,
  kind,
  textKind: getTextKind(name),
  members: null,
  element: null,
  unnamedElement: null,
  otherKind,
})

export function createListRule(element: ValueRule): ValueRule {
  return { ...element, members: null, element }
}

export function createObjectRule(
  name: string,
  members: Readonly<Record<string, ValueRule | StringKind>>,
  kind: StringKind = 'text',
): ValueRule {
  return {
    ...createLeaf(name, kind),
    members: new Map(
      Object.entries(members).map(([member, rule]) => [
        member,
        typeof rule === 'string' ? createLeaf(member, rule) : rule,
      ]),
    ),
  }
}

/** A host may send as many names as it likes, so only so many rules are remembered. */
const MAX_REMEMBERED_NAMES = 5_000
const rulesByName = new Map<string, ValueRule>()

/** The rule of a value about which the contract says nothing but what it says about such names. */
export function getRuleOfName(name: string, container: string, otherKind: StringKind = 'text'): ValueRule {
  const key = `${otherKind} ${container} ${name}`
  const cached = rulesByName.get(key)
  if (cached) return cached
  const kind = getKindOfMember(name, container)
  const rule = createLeaf(name, kind === 'text' ? otherKind : kind, otherKind)
  if (rulesByName.size < MAX_REMEMBERED_NAMES) rulesByName.set(key, rule)
  return rule
}

export const UNKNOWN_VALUE: ValueRule = createLeaf('', 'text')

/** An error in any response (spec §7). */
const errorRule = createObjectRule('error', { code: 'code', message: 'message' })

const bodyRules = new Map<string, ValueRule>()

/** Returns the rule of a JSON body; an `endpoint` that the table lacks, or null, is unknown. */
export function getBodyRule(endpoint: string | null, side: 'request' | 'response'): ValueRule {
  const row = endpoint === null ? undefined : findEndpointById(endpoint)
  const key = `${side} ${row?.id ?? ''}`
  const cached = bodyRules.get(key)
  if (cached) return cached
  const rule = createBodyRule(row, side)
  bodyRules.set(key, rule)
  return rule
}

/** Lists of whose entries the contract shows more than the schema of their response. */
const shownEntries: EndpointMap<z.ZodType> = { 'notes.batchGet': noteItemSchema }

function createBodyRule(row: ReturnType<typeof findEndpointById>, side: 'request' | 'response'): ValueRule {
  if (side === 'request') return row?.body ? toRule(getSchemaPlan(row.body), '', '') : UNKNOWN_VALUE
  if (row?.response.kind !== 'json') return createObjectRule('', { error: errorRule })
  const { schema, list } = row.response
  // A host describes its interface there, with members that the contract does not show.
  const rule = toRule(getSchemaPlan(schema), '', '', row.id === 'capabilities.get' ? 'word' : 'text')
  const shownEntry = lookUpByEndpoint(shownEntries, row.id)
  const shownRule = shownEntry && createListRule(toRule(getSchemaPlan(shownEntry), list?.member ?? '', ''))
  const listRule = list ? (shownRule ?? rule.members?.get(list.member)) : undefined
  const element = listRule ? (listRule.element ?? listRule) : null
  const listMember: readonly (readonly [string, ValueRule])[] = list && shownRule ? [[list.member, shownRule]] : []
  return {
    ...rule,
    members: new Map([...(rule.members ?? []), ...listMember, ['error', errorRule]]),
    element,
    unnamedElement: list?.isUnnamed || list?.isGrouped ? element : null,
  }
}

function toRule(plan: SchemaPlan, name: string, container: string, otherKind: StringKind = 'text'): ValueRule {
  switch (plan.kind) {
    case 'optional':
    case 'nullable':
      return toRule(plan.inner, name, container, otherKind)
    case 'list':
      return createListRule(toRule(plan.element, name, container, otherKind))
    case 'union': {
      const rules = plan.options.map((option) => toRule(option, name, container, otherKind))
      return rules.find(({ members }) => members !== null) ?? rules[0] ?? createLeaf(name, otherKind, otherKind)
    }
    case 'object': {
      if (plan.members.length === 0) return createLeaf(name, otherKind, otherKind)
      const members = new Map(
        plan.members.map((member) => [member.name, toRule(member.plan, member.name, name, otherKind)]),
      )
      for (const [member, others] of Object.entries(plan.variants.names ?? {})) {
        const rule = members.get(member)
        for (const other of others) if (rule && !members.has(other) && !other.includes('.')) members.set(other, rule)
      }
      const self = plan.variants.self === undefined ? undefined : members.get(plan.variants.self)
      return { ...createLeaf(name, self?.kind ?? 'text', otherKind), members }
    }
    case 'leaf': {
      const rule = getRuleOfName(name, container, otherKind)
      const kind = rule.kind === 'text' ? getKindOfPlan(plan) : null
      return kind === null ? rule : { ...rule, kind }
    }
  }
}

/** The rule of a member, and what is known of it by its name if the contract does not show it. */
export function getMemberRule(rule: ValueRule, name: string): ValueRule {
  return rule.members?.get(name) ?? getRuleOfName(name, rule.name, rule.otherKind)
}

export function getElementRule(rule: ValueRule): ValueRule {
  return rule.element ?? rule
}
