// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { hostApi } from '../../../testing/index.ts'

test('the kit asks its host in a DOM environment, as a test of a panel needs one', async () => {
  expect(document.body).toBeDefined()
  const host = hostApi({ writes: 'allow' })
  const state = (await host.api('/ui-state')) as { error?: unknown; state: { focusnoteid: string } }
  expect(state.error).toBeUndefined()
  const body = JSON.stringify({ role: 'practice', height: 240 })
  const headers = new Headers({ 'content-type': 'application/json' })
  const path = `/notes/${state.state.focusnoteid}/blank-bands`
  expect(await host.api(path, { method: 'POST', headers, body })).not.toHaveProperty('error')
  const { signal } = new AbortController()
  expect(await host.api('/library/study-sets', { signal })).not.toHaveProperty('error')
  expect(await host.findings()).toEqual([])
  await host.close()
})
