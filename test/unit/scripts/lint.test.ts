import { ESLint, Linter } from 'eslint'
import { expect, test } from 'vitest'
import { root } from '../../../scripts/lib/paths.mjs'

const RULE = 'no-restricted-imports'

/** Lints an import as if it stood in this file. */
async function countErrors(file: string, code: string): Promise<number> {
  const { rules } = (await new ESLint({ cwd: root }).calculateConfigForFile(file)) as Linter.Config
  return new Linter().verify(code, { rules: { [RULE]: rules?.[RULE] ?? 'off' } }).length
}

test('only one file takes the stores of Pinia, which would keep the component that used one first', async () => {
  const code = "import { defineStore } from 'pinia'"
  for (const file of ['renderer/stores/tree.ts', 'renderer/panes/Any.vue', 'test/component/any.test.ts'])
    expect(await countErrors(file, code), file).toBe(1)
  expect(await countErrors('renderer/stores/define-store.ts', code)).toBe(0)
  expect(await countErrors('renderer/stores/tree.ts', "import { storeToRefs } from 'pinia'")).toBe(0)
  expect(await countErrors('renderer/stores/tree.ts', "import { defineStore } from './define-store.ts'")).toBe(0)
})
