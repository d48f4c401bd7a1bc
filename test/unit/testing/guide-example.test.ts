/** @module-tag slow */

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../scripts/lib/paths.mjs'
import { runPluginTest } from '../../support/program/plugin-test.ts'

test('the test for vitest in the guide passes as it is written there', () => {
  const guide = readFileSync(path.join(root, 'docs/guide/testing.md'), 'utf8')
  const blocks = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block = '']) => block)
  const examples = blocks.filter((block) => block.includes("from 'vitest'"))
  expect(examples).toHaveLength(1)
  expect(runPluginTest('guide.test.ts', examples.join(''))).toMatch(/Tests +1 passed/)
})
