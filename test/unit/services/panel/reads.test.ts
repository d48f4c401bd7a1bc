import { expect, test } from 'vitest'
import { startLoggingHost, openPanel, createPanelFolder } from '../../../support/program/panel.ts'

const target = '/bridge/v1/notes/N-1/render'

async function reading() {
  const host = await startLoggingHost(['GET /notes/{id}/render'])
  return { host, panel: await openPanel(createPanelFolder(), host.baseUrl) }
}

test('a range of a binary answer is asked of the host, and its part passes', async () => {
  const { host, panel } = await reading()
  host.respond = (_, response) => {
    response.writeHead(206, { 'Content-Type': 'image/png', 'Content-Range': 'bytes 2-4/10', 'Content-Length': 3 })
    response.end(Buffer.from([0xff, 0x00, 0xfe]))
  }
  const answer = await panel.serveDirectly(target, { headers: { Range: 'bytes=2-4' } })
  expect(host.requests.map(({ headers }) => headers.range)).toEqual(['bytes=2-4'])
  expect([answer.status, answer.headers.get('content-range')]).toEqual([206, 'bytes 2-4/10'])
  expect([...new Uint8Array(await answer.arrayBuffer())]).toEqual([0xff, 0x00, 0xfe])
})

test('a binary answer passes as it comes: its beginning before the host has ended', async () => {
  const { host, panel } = await reading()
  let end: () => void = () => undefined
  host.respond = (_, response) => {
    response.writeHead(200, { 'Content-Type': 'image/png' })
    response.write('first')
    end = () => response.end('last')
  }
  const answer = await panel.serveDirectly(target)
  const reader = answer.body?.getReader()
  const piece = await reader?.read()
  expect(new TextDecoder().decode(piece?.value)).toBe('first')
  end()
  let rest = ''
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    rest += new TextDecoder().decode(next.value)
  }
  expect(rest).toBe('last')
})
