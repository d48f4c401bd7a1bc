import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseOverrides, formatOverrides } from '../../../electron/services/panel/overrides/overrides-text.ts'
import { overrideFaults, overrideRuleSchema } from '../../../shared/panel/overrides.ts'

const text = readFileSync(new URL('../../../docs/overrides.md', import.meta.url), 'utf8')
const samples = [...text.matchAll(/```json\n(.*?)```/gs)].map(([, json = '']) => json)

test('the samples in the document are valid override files', () => {
  expect(samples.length).toBeGreaterThanOrEqual(2)
  for (const sample of samples) {
    const read = parseOverrides(sample, () => false)
    if ('damage' in read) throw new Error(read.damage)
    expect(read.foreignEntries).toEqual([])
    expect(read.rules.length).toBeGreaterThan(0)
    const second = parseOverrides(formatOverrides(null, read.rules, []), () => false)
    expect(second).toEqual({ rules: read.rules, foreignEntries: [] })
  }
})

test('the document names every member and every fault', () => {
  for (const name of [...Object.keys(overrideRuleSchema.shape), ...overrideFaults]) expect(text).toContain(`\`${name}`)
})
