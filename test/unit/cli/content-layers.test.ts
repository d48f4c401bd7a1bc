import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createConnectionFlags, runCommandLine } from '../../support/program/command-line.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { startDemo } from '../../support/hosts/demo.ts'
import { startAlteringHost } from '../../support/hosts/altering-host.ts'
import { respond, respondJson } from '../../support/hosts/behaviours.ts'
import { startMisbehavingHost } from '../../support/hosts/misbehaving-host.ts'
import { createPng } from '../../support/data/pictures.ts'

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

test('bytes that do not decode as declared are saved as received, and this is said', async () => {
  const picture = createPng(3, 2)
  const headers = { 'Content-Encoding': 'gzip' }
  const host = await startMisbehavingHost((socket, request) =>
    request.path.includes('/content/')
      ? respond(picture, { type: 'image/png', headers })(socket, request)
      : respondJson({ routes: [] })(socket, request),
  )
  const file = path.join(createTempDir(), 'x.png')
  const flags = ['--base-url', host.baseUrl, '--data-dir', createTempDir()]
  const { code, stderr } = await runCommandLine(['content', 'N', 'C', '-o', file, ...flags])
  await host.close()
  expect([code, readFileSync(file).equals(picture)]).toEqual([10, true])
  expect(stderr).toContain('ENCODING_BROKEN: The bytes do not decode')
})
