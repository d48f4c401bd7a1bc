import path from 'node:path'
import { expect, test } from 'vitest'
import { createConnectionFlags, runCommandLine } from '../../support/program/command-line.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { startDemo } from '../../support/hosts/demo.ts'
import { startAlteringHost } from '../../support/hosts/altering-host.ts'

test('the base of a picture is asked for under the name that the host lists', async () => {
  const { host } = await startDemo({ nodes: 20 })
  const route = { method: 'GET', path: '/notes/{id}/content/{part}', query: { picture: ['composite', 'base'] } }
  const requestedPaths: string[] = []
  const baseUrl = await startAlteringHost(host, ({ path: requestedPath }, { status }) => {
    if (requestedPath.includes('/content/')) {
      requestedPaths.push(requestedPath)
      return { status, body: {} }
    }
    return requestedPath === '/capabilities' ? { status, body: { routes: [route] } } : null
  })
  const command = ['content', 'N', 'C', '-o', path.join(createTempDir(), 'x'), '--layers', 'base']
  await runCommandLine([...command, ...createConnectionFlags({ ...host, baseUrl })])
  await host.close()
  expect(requestedPaths).toEqual(['/notes/N/content/C?picture=base'])
})
