import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DeviationGroups } from '../../../electron/services/contract/deviation-groups.ts'
import { toJudgedExchange } from '../../../electron/services/contract/exchange-facts.ts'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { judgeExchange, UNKNOWN_HOST } from '../../../electron/core/contract/exchange-judge.ts'
import { parsePointer, toPointerStep } from '../../../shared/json/pointer.ts'

const color = { hex: '#112233', rgba: { r: 17, g: 34, b: 51, a: 1 } }

const judgePalette = (value: unknown) => {
  const response = { bytes: Buffer.from(JSON.stringify(value)), isWhole: true }
  const facts = { method: 'GET', path: '/', endpoint: 'studySets.palette', mediaType: 'application/json', status: 200 }
  return judgeExchange(toJudgedExchange(facts, { bytes: null, isWhole: true }, response), UNKNOWN_HOST)
}

/** Names that are neither the contract's nor ids. */
const otherName = fc.string({ minLength: 1, maxLength: 12 }).map((name) => `+${name}`)
const otherMembers = fc.dictionary(otherName, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 3 })

describe('folding', () => {
  it('has one deviation for each undocumented member of an object, with the number of its places', () => {
    fc.assert(
      fc.property(
        otherMembers,
        fc.array(fc.record({ entry: otherMembers, base: otherMembers, rgba: otherMembers }), { maxLength: 30 }),
        (outer, entries) => {
          const colors = entries.map(({ entry, base, rgba }, colorIndex) => ({
            ...{ ...entry, colorIndex, displayColor: { ...color, rgba: { ...color.rgba, ...rgba } } },
            baseColor: { ...color, ...base },
          }))
          const palette = { bridgeApiVersion: '1', studySetId: 'T', title: 'T', source: 'default', appearance: 'light' }
          const expected = new Map<string, number>()
          const expectMembers = (pointer: string, members: object): void => {
            for (const name of Object.keys(members)) {
              const memberPointer = pointer + toPointerStep(name)
              expected.set(memberPointer, (expected.get(memberPointer) ?? 0) + 1)
            }
          }
          expectMembers('', outer)
          for (const { entry, base, rgba } of entries) {
            expectMembers('/colors/*', entry)
            expectMembers('/colors/*/baseColor', base)
            expectMembers('/colors/*/displayColor/rgba', rgba)
          }
          const { deviations } = judgePalette({ ...outer, ...palette, count: colors.length, colors })
          expect(new Set(deviations.map(({ kind }) => kind)).size).toBeLessThan(2)
          expect(new Map(deviations.map(({ pointer, count }) => [pointer, count]))).toEqual(expected)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('gives the same groups however the exchanges are split over runs of the program', () => {
    const exchange = fc.record({ members: otherMembers, version: fc.option(fc.constantFrom('0.91', '0.92', '1.0')) })
    fc.assert(
      fc.property(fc.array(exchange, { maxLength: 20 }), fc.nat(20), (exchanges, restart) => {
        const addAll = (groups: DeviationGroups, from: number, to: number): DeviationGroups => {
          for (let index = from; index < Math.min(to, exchanges.length); index += 1) {
            const { members = {}, version = null } = exchanges[index] ?? {}
            const { deviations } = judgePalette(members)
            groups.add(deviations, { seq: index + 1, id: `e${index}`, startedAt: index, version })
          }
          return groups
        }
        const unbroken = addAll(new DeviationGroups(), 0, exchanges.length)
        const before = addAll(new DeviationGroups(), 0, restart)
        const after = addAll(new DeviationGroups(JSON.parse(JSON.stringify(before.list())) as never), restart, 99)
        expect(after.list()).toEqual(unbroken.list())
      }),
      { numRuns: 100 },
    )
  })
})

describe('the judge', () => {
  it('never throws, whatever a host sends, and writes pointers without indexes', () => {
    const ids = endpoints.map(({ id, method }) => ({ id, method }))
    // Names of the contract lead into its schemas.
    const name = fc.oneof(
      fc.constantFrom('items', 'nodes', 'noteid', 'error', 'code', 'data', '__proto__'),
      fc.string(),
    )
    const { tree } = fc.letrec((tie) => ({
      leaf: fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constant(null), fc.constant('7')),
      tree: fc.oneof(
        { maxDepth: 5 },
        tie('leaf'),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(name, tie('tree'), { maxKeys: 5 }),
      ),
    }))
    fc.assert(
      fc.property(
        fc.constantFrom(...ids),
        tree,
        fc.constantFrom(200, 202, 404, 500, 299),
        ({ id, method }, value, status) => {
          const response = { bytes: Buffer.from(JSON.stringify(value)), isWhole: true }
          const facts = { method, path: '/x?limit=1&maxEdge=70', endpoint: id, mediaType: 'application/json', status }
          const { deviations } = judgeExchange(toJudgedExchange(facts, response, response), UNKNOWN_HOST)
          for (const { pointer, example, count } of deviations) {
            expect(parsePointer(pointer).length).toBeLessThan(20)
            expect(count).toBeGreaterThan(0)
            expect(example?.length ?? 0).toBeLessThanOrEqual(200)
          }
        },
      ),
      { numRuns: 3_000 },
    )
  })
})
