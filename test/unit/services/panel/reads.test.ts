import { expect, test } from 'vitest'
import { startLoggingHost, openPanel, createPanelFolder } from '../../../support/program/panel.ts'

const TARGET_PATH = '/bridge/v1/notes/N-1/render'

async function openReadingPanel() {
  const host = await startLoggingHost(['GET /notes/{id}/render'])
  return { host, panel: await openPanel(createPanelFolder(), host.baseUrl) }
}

test('a range of a binary response is requested from the host, and its part passes', async () => {
  const { host, panel } = await openReadingPanel()
  host.respond = (_, response) => {
    response.writeHead(206, { 'Content-Type': 'image/png', 'Content-Range': 'bytes 2-4/10', 'Content-Length': 3 })
    response.end(Buffer.from([0xff, 0x00, 0xfe]))
  }
  const response = await panel.serveDirectly(TARGET_PATH, { headers: { Range: 'bytes=2-4' } })
  expect(host.requests.map(({ headers }) => headers.range)).toEqual(['bytes=2-4'])
  expect([response.status, response.headers.get('content-range')]).toEqual([206, 'bytes 2-4/10'])
  expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([0xff, 0x00, 0xfe])
})

test('a binary response passes while it arrives, before the host has ended it', async () => {
  const { host, panel } = await openReadingPanel()
  let endResponse: () => void = () => undefined
  host.respond = (_, response) => {
    response.writeHead(200, { 'Content-Type': 'image/png' })
    response.write('first')
    endResponse = () => response.end('last')
  }
  const response = await panel.serveDirectly(TARGET_PATH)
  const reader = response.body?.getReader()
  const piece = await reader?.read()
  expect(new TextDecoder().decode(piece?.value)).toBe('first')
  endResponse()
  let rest = ''
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    rest += new TextDecoder().decode(next.value)
  }
  expect(rest).toBe('last')
})
