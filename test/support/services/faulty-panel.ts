import path from 'node:path'
import { expect } from 'vitest'
import { root } from '../../../scripts/lib/paths.mjs'

/** A plugin whose bundled panel has a source map, and reads what a panel may not read. */
export const FAULTY_PLUGIN = path.join(root, 'test/fixtures/faulty-panel')

/** The place of its call in the original source, which names its function, too. */
export const FAULTY_PLACE = { file: '/src/token.js', line: 2, column: 26, functionName: 'readToken' }

/** Makes the call as the page of the panel does, with the stack that a browser tells. */
export async function breakRule(panelUrl: string): Promise<void> {
  const stack = encodeURI('at a (/main.js:2:17)\nat document.querySelector.onclick (/main.js:5:56)')
  const headers = { 'X-Inspector-Stack': stack, 'X-Inspector-Call': '0123456789ab-1' }
  expect((await fetch(new URL('/bridge/v1/token', panelUrl), { headers })).status).toBe(403)
}
