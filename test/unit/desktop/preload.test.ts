import { runInNewContext } from 'node:vm'
import { build } from 'vite'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import config from '../../../electron.vite.config.ts'
import * as channels from '../../../electron/desktop/channels.ts'

let code = ''
const exposed: Record<string, Record<string, unknown>> = {}
const required: string[] = []
const ipcRenderer = { invoke: vi.fn(), send: vi.fn(), on: vi.fn(), removeListener: vi.fn() }

beforeAll(async () => {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ...config.preload?.build,
      write: false,
      ssr: true,
      minify: false,
      rolldownOptions: { ...config.preload?.build?.rolldownOptions, external: ['electron'] },
    },
  })
  const outputs = (Array.isArray(built) ? built : [built]).flatMap((output) =>
    'output' in output ? output.output : [],
  )
  expect(outputs.map(({ fileName }) => fileName)).toEqual(['preload.cjs'])
  code = outputs[0]?.type === 'chunk' ? outputs[0].code : ''
  const contextBridge = {
    exposeInMainWorld: (name: string, api: Record<string, unknown>) => {
      exposed[name] = api
    },
  }
  const require = (name: string): unknown => {
    required.push(name)
    return { contextBridge, ipcRenderer }
  }
  runInNewContext(code, { require, module: { exports: {} }, exports: {} })
})

describe('the preload', () => {
  test('safety 9: exposes exactly this list to the page', () => {
    const surface = Object.entries(exposed).flatMap(([world, api]) =>
      Object.entries(api).map(([name, value]) => `${world}.${name}: ${typeof value}`),
    )
    expect(surface).toEqual([
      'bridgeInspector.call: function',
      'bridgeInspector.cancel: function',
      'bridgeInspector.listen: function',
    ])
  })

  test('safety 9: is a single file that requires only electron, as the sandbox demands', () => {
    expect(required).toEqual(['electron'])
    expect(code.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')).not.toMatch(/\bimport\b|\bprocess\b|\beval\b/)
  })

  test('safety 9: chooses the channel itself, never the page', () => {
    const api = exposed['bridgeInspector'] as Record<string, (...args: unknown[]) => unknown>
    api['call']?.('shell:open', { id: 'a' })
    api['cancel']?.('b', 'evil')
    expect(ipcRenderer.invoke.mock.calls).toEqual([[channels.CALL_CHANNEL, 'shell:open']])
    expect(ipcRenderer.send.mock.calls).toEqual([[channels.CANCEL_CHANNEL, 'b']])
  })

  test('safety 9: passes the message to a listener but never the event object, and can stop', () => {
    const api = exposed['bridgeInspector'] as Record<string, (...args: unknown[]) => unknown>
    const heard: unknown[][] = []
    const stop = api['listen']?.((...args: unknown[]) => heard.push(args)) as () => void
    const [channel, hear] = ipcRenderer.on.mock.calls[0] as [string, (...args: unknown[]) => void]
    hear({ sender: ipcRenderer }, { topic: 't', payload: 1 }, 'more')
    expect(heard).toEqual([[{ topic: 't', payload: 1 }]])
    stop()
    expect(channel).toBe(channels.EVENT_CHANNEL)
    expect(ipcRenderer.removeListener.mock.calls).toEqual([[channels.EVENT_CHANNEL, hear]])
  })
})
