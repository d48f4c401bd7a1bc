import { describe, expect, it } from 'vitest'
import { compareBundles } from '../../../electron/core/contract/schema-comparison.ts'
import type { RouteSchema } from '../../../shared/contract/route-schema.ts'
import type { JsonSchema } from '../../../shared/contract/json-schema.ts'
import { createCombinedBundle, createRecordedBundle } from '../../../electron/core/contract/schema-side.ts'
import { combineSchemas } from '../../../electron/core/contract/schema-union.ts'
import {
  any,
  bundle,
  dictionary,
  flag,
  integer,
  list,
  nil,
  number,
  object,
  route,
  text,
  union,
  word,
} from './model-builders.ts'

type Verdict = 'breaks' | 'fits'

/** A change of a value, its rule, and the verdicts if the caller reads it and if it sends it. */
type Change = readonly [before: JsonSchema, after: JsonSchema, rule: string, read: Verdict, send: Verdict, at?: string]

const uuid = text({ format: 'uuid' })
const picture = object({ kind: word('picture'), url: text() }, { 'x-tag': { member: 'kind', value: 'picture' } })
const note = object({ kind: word('note'), text: text() }, { 'x-tag': { member: 'kind', value: 'note' } })
const sound = object({ kind: word('sound'), length: number() }, { 'x-tag': { member: 'kind', value: 'sound' } })

const changes: readonly Change[] = [
  // Types
  [text(), number(), 'type-changed', 'breaks', 'breaks'],
  [number(), text(), 'type-changed', 'breaks', 'breaks'],
  [list(text()), object({}), 'type-changed', 'breaks', 'breaks'],
  [text(), union(text(), number()), 'type-added', 'breaks', 'fits'],
  [union(text(), number()), text(), 'type-removed', 'fits', 'breaks'],
  [text(), union(text(), nil), 'null-added', 'breaks', 'fits'],
  [union(text(), nil), text(), 'null-removed', 'fits', 'breaks'],
  [text(), any, 'shape-hidden', 'breaks', 'fits'],
  [any, text(), 'shape-shown', 'fits', 'fits'],
  [flag(), flag(true), 'values-closed', 'fits', 'breaks'],
  [flag(true), flag(), 'values-opened', 'breaks', 'fits'],
  // Numbers
  [integer(), number(), 'fraction-added', 'breaks', 'fits'],
  [number(), integer(), 'fraction-removed', 'fits', 'breaks'],
  [integer(0, 10), integer(0, 20), 'limit-widened', 'breaks', 'fits'],
  [integer(0, 10), integer(-5, 10), 'limit-widened', 'breaks', 'fits'],
  [integer(0, 10), integer(0, null), 'limit-widened', 'breaks', 'fits'],
  [integer(0, 10), integer(null, 10), 'limit-widened', 'breaks', 'fits'],
  [integer(0, 20), integer(0, 10), 'limit-narrowed', 'fits', 'breaks'],
  [integer(0, 10), integer(5, 10), 'limit-narrowed', 'fits', 'breaks'],
  [integer(), integer(0, null), 'limit-narrowed', 'fits', 'breaks'],
  // Texts
  [word('a', 'b'), word('a', 'b', 'c'), 'value-added', 'breaks', 'fits'],
  [word('a', 'b'), word('a'), 'value-removed', 'fits', 'breaks'],
  [word('a'), text(), 'values-opened', 'breaks', 'fits'],
  [text(), word('a'), 'values-closed', 'fits', 'breaks'],
  [uuid, text(), 'format-lost', 'breaks', 'fits'],
  [text(), uuid, 'format-added', 'fits', 'breaks'],
  [uuid, text({ format: 'date' }), 'format-changed', 'breaks', 'breaks'],
  // Objects
  [object({ a: text() }), object({ a: text(), 'b?': text() }), 'member-added', 'fits', 'fits', '/b'],
  [object({ a: text(), b: text() }), object({ a: text() }), 'member-removed', 'breaks', 'breaks', '/b'],
  [object({ a: text() }), object({ 'a?': text() }), 'member-optional', 'breaks', 'fits', '/a'],
  [object({ 'a?': text() }), object({ a: text() }), 'member-required', 'fits', 'breaks', '/a'],
  [object({ a: text() }), dictionary(text()), 'dictionary-changed', 'breaks', 'breaks'],
  [dictionary(text()), object({ a: text() }), 'dictionary-changed', 'breaks', 'breaks'],
  [union(note, picture), union(note, picture, sound), 'variant-added', 'breaks', 'fits'],
  [union(note, picture, sound), union(note, picture), 'variant-removed', 'fits', 'breaks'],
]

/** Where the value stands in the body. */
const positions: readonly (readonly [pointer: string, wrap: (value: JsonSchema) => JsonSchema])[] = [
  ['', (value) => value],
  ['/color', (value) => object({ color: value })],
  ['/*', (value) => list(value)],
  ['/map/{key}', (value) => object({ map: dictionary(value) })],
  ['/nodes/*/a~1b', (value) => object({ 'nodes?': list(object({ 'a/b?': value, total: integer() })) })],
]

const parts = [
  { part: 'response', direction: 'response', toRoute: (value: JsonSchema) => route({ response: value }) },
  { part: 'error', direction: 'response', toRoute: (value: JsonSchema) => route({ error: value }) },
  { part: 'body', direction: 'request', toRoute: (value: JsonSchema) => route({ method: 'POST', body: value }) },
] as const

const fixtures = parts.flatMap(({ part, direction, toRoute }) =>
  changes.flatMap(([before, after, rule, read, send, suffix = '']) =>
    positions.map(([pointer, wrap]) => ({
      ...{
        part,
        rule: `${direction}-${rule}`,
        pointer: pointer + suffix,
        verdict: direction === 'response' ? read : send,
      },
      ...{ before: toRoute(wrap(before)), after: toRoute(wrap(after)) },
    })),
  ),
)

const routeChanges: readonly (readonly [Partial<RouteSchema>, Partial<RouteSchema>, rule: string, Verdict])[] = [
  [{ mediaTypes: ['application/json'] }, { mediaTypes: ['text/plain'] }, 'media-type-changed', 'breaks'],
  [{ needsToken: false }, { needsToken: true }, 'token-required', 'breaks'],
  [{ needsToken: true }, { needsToken: false }, 'token-dropped', 'fits'],
  [{ isUpload: false }, { isUpload: true }, 'upload-changed', 'breaks'],
  [{ errorCodes: ['A'] }, { errorCodes: ['A', 'B'] }, 'error-code-added', 'fits'],
  [{ errorCodes: ['A', 'B'] }, { errorCodes: ['A'] }, 'error-code-removed', 'fits'],
  [{ body: null }, { body: object({}) }, 'body-required', 'breaks'],
  [{ body: object({}) }, { body: null }, 'body-dropped', 'breaks'],
  [
    { parameters: [] },
    { parameters: [{ name: 'limit', in: 'query', isRequired: true, description: '', schema: integer() }] },
    'request-required-member-added',
    'breaks',
  ],
  [
    { parameters: [] },
    { parameters: [{ name: 'limit', in: 'query', isRequired: false, description: '', schema: integer() }] },
    'request-member-added',
    'fits',
  ],
]

describe('the comparison of schemas', () => {
  it('has at least two hundred pairs', () => {
    expect(fixtures.length + routeChanges.length).toBeGreaterThanOrEqual(200)
  })

  it.each(fixtures)('$part $pointer: $rule $verdict', ({ part, rule, pointer, verdict, before, after }) => {
    expect(compareBundles(bundle(before), bundle(after))).toEqual([
      expect.objectContaining({ part, rule, pointer, isBreaking: verdict === 'breaks' }),
    ])
    expect(compareBundles(bundle(before), bundle(before))).toEqual([])
    expect(compareBundles(bundle(after), bundle(after))).toEqual([])
  })

  it.each(routeChanges)('$2 of a route', (before, after, rule, verdict) => {
    expect(compareBundles(bundle(route(before)), bundle(route(after)))).toEqual([
      expect.objectContaining({ rule, isBreaking: verdict === 'breaks' }),
    ])
  })

  it('adds a demanded member to a body', () => {
    const before = bundle(route({ body: object({}) }))
    const after = bundle(route({ body: object({ a: text() }) }))
    expect(compareBundles(before, after)).toEqual([
      expect.objectContaining({ rule: 'request-required-member-added', pointer: '/a', isBreaking: true }),
    ])
  })

  it('says that an optional member was removed, which breaks no caller', () => {
    const before = bundle(route({ response: object({ 'a?': text() }) }))
    const after = bundle(route({ response: object({}) }))
    expect(compareBundles(before, after)).toEqual([
      expect.objectContaining({ rule: 'response-optional-member-removed', isBreaking: false }),
    ])
  })

  it('takes nothing for removed that was only not recorded', () => {
    const full = bundle(route({ response: object({ a: list(text()) }) }), route({ template: '/decks' }))
    const partial = { ...bundle(route({ response: object({ a: list(any) }) })), isPartial: true }
    expect(compareBundles(full, partial).map(({ rule }) => rule)).toEqual([
      'response-shape-unrecorded',
      'route-unrecorded',
    ])
    expect(compareBundles(full, { ...partial, isPartial: false }).map(({ rule }) => rule)).toEqual([
      'response-shape-hidden',
      'route-removed',
    ])
  })

  it('compares what was recorded with documented limits, which it may lie in', () => {
    const createRecorded = (max: number): JsonSchema => ({
      type: 'integer',
      'x-source': 'recorded',
      'x-recorded': { responses: 3, range: { min: 0, max } },
    })
    const contract = bundle(route({ response: integer(0, 255) }))
    const inside = bundle(route({ response: createRecorded(9) }))
    const outside = bundle(route({ response: createRecorded(256) }))
    expect(compareBundles(contract, inside)).toEqual([])
    expect(compareBundles(contract, outside).map(({ rule }) => rule)).toEqual(['response-limit-widened'])
    expect(compareBundles(outside, contract)).toEqual([])
  })

  it('does not say that the contract lost what it only does not show', () => {
    const recorded = { 'x-source': 'recorded', 'x-recorded': { responses: 3 } } as const
    const id = text({ ...recorded, 'x-formats': ['uuid'] })
    const response = object({ id, extra: text(recorded) }, recorded)
    const contract = bundle(route({ response: object({ id: text() }) }))
    const differences = compareBundles(bundle(route({ response })), contract)
    expect(differences.map(({ rule, pointer }) => `${pointer} ${rule}`)).toEqual(['/extra response-shape-unrecorded'])
  })

  it('compares a shape without a tag with all shapes that have one', () => {
    const before = bundle(route({ response: object({ kind: text() }) }))
    const after = bundle(route({ response: union(note, picture) }))
    expect(compareBundles(before, after).map(({ rule, pointer }) => `${pointer} ${rule}`)).toEqual([
      '/kind response-values-closed',
      '/text response-member-added',
      '/url response-member-added',
    ])
  })

  it('does not call a rare word of an enumeration a new one', () => {
    const createRare = (...words: string[]): JsonSchema =>
      text({ 'x-source': 'recorded', 'x-recorded': { responses: 1, words } })
    const contract = bundle(route({ response: word('open', 'closed') }))
    const recorded = { ...bundle(route({ response: createRare('open') })), isPartial: true }
    const outside = bundle(route({ response: createRare('open', 'ajar') }))
    expect(compareBundles(contract, recorded)).toEqual([])
    expect(compareBundles(contract, outside)).toEqual([
      expect.objectContaining({ rule: 'response-value-added', after: 'ajar' }),
    ])
    expect(combineSchemas(word('open', 'closed'), createRare('open')).enum).toEqual(['open', 'closed'])
    const other = text({ 'x-source': 'recorded', 'x-recorded': { responses: 1 } })
    expect(combineSchemas(word('open'), other)).toEqual({ type: 'string', 'x-recorded': { responses: 1 } })
  })

  it('does not take the members of an object that was not looked at for removed', () => {
    const unlooked = object({}, { 'x-source': 'recorded', 'x-recorded': { responses: 1, isSampled: true } })
    const full = object({ a: text(), b: number() })
    const sides = [bundle(route({ response: full })), bundle(route({ response: unlooked }))] as const
    for (const [before, after] of [sides, [sides[1], sides[0]]] as const) {
      expect(compareBundles(before, after).map(({ rule }) => rule)).toEqual(['response-shape-unrecorded'])
    }
    expect(compareBundles(sides[1], sides[1])).toEqual([])
    expect(combineSchemas(full, unlooked)).toMatchObject(full)
  })

  it('keeps the members of every shape when one side has a shape less', () => {
    const first = object({ kind: word('a'), p: object({ x: number() }), list: list(object({ x: text() })) })
    const second = object({ kind: word('b'), p: object({ y: number() }), list: list(object({ y: text() })) })
    const before = bundle(route({ response: union(first, second) }))
    const after = bundle(route({ response: second }))
    expect(compareBundles(before, after).map(({ rule, pointer }) => `${pointer} ${rule}`)).toEqual([
      '/kind response-value-removed',
      '/p/x response-optional-member-removed',
      '/p/y response-member-required',
      '/list/*/x response-optional-member-removed',
      '/list/*/y response-member-required',
    ])
  })

  it('leaves out a route that only ever failed and that the contract does not have', () => {
    const failed = { error: object({ error: text() }), isRecorded: true }
    const routes = [
      route({ ...failed, template: '/nots' }),
      route({ ...failed, template: '/cards', endpoint: 'cards.list' }),
      route({ template: '/found', isRecorded: true, response: text() }),
    ]
    const templates = createRecordedBundle(routes, '').routes.map(({ template }) => template)
    expect(templates).toEqual(['/cards', '/found'])
    const combined = createCombinedBundle(routes, '').routes.map(({ template }) => template)
    expect(combined).toContain('/found')
    expect(combined).not.toContain('/nots')
  })

  it('lists the breaking differences first', () => {
    const before = bundle(route({ response: object({ a: text(), z: text() }) }))
    const after = bundle(route({ response: object({ a: text(), b: text() }) }))
    expect(compareBundles(before, after).map(({ isBreaking }) => isBreaking)).toEqual([true, false])
  })
})
