import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { onTestFinished } from 'vitest'
import { composeApp, type App, type Ports } from '../../../electron/app-composition.ts'
import { parseConfig } from '../../../electron/config.ts'
import type { AppError } from '../../../shared/errors.ts'
import { fromWireError } from '../../../shared/errors.ts'
import type { IpcInput, MethodName, IpcOutput } from '../../../shared/ipc/index.ts'
import { isMethodName, ipcMethods, ipcTopics, type TopicName } from '../../../shared/ipc/index.ts'
import type { EventMessage, CallReply } from '../../../shared/ipc/method-definition.ts'
import { findBuiltWorkers } from './built-program.ts'

/**
 * The whole program behind its dispatcher, as both transports use it. Every reply and push is
 * checked against the contract.
 */
export interface ComposedApp {
  readonly app: App
  readonly dataDir: string
  /** All pushes. */
  readonly events: EventMessage[]
  /** All replies, errors included. */
  readonly replies: CallReply[]
  call<M extends MethodName>(method: M, input: IpcInput<M>, id?: string): Promise<IpcOutput<M>>
  /** The error of a call that must fail. */
  callExpectingError(method: string, input: unknown): Promise<AppError>
  dispose(): Promise<void>
}

interface Options {
  readonly env?: Record<string, string>
  readonly ports?: Partial<Ports>
  /** What composes the app; by default an app that shows no recordings. */
  readonly compose?: typeof composeApp
}

export async function startComposedApp(
  dataDir: string,
  flags: string[] = [],
  options: Options = {},
): Promise<ComposedApp> {
  const config = parseConfig([...flags, '--data-dir', dataDir], options.env ?? {})
  const app = await (options.compose ?? composeApp)(config, {
    mode: 'browser',
    chooseFile: null,
    panelProcess: null,
    chooseFolder: null,
    resources: pathToFileURL(`${path.resolve('resources')}/`),
    cipher: null,
    ...findBuiltWorkers(),
    openExternal: () => Promise.resolve(false),
    runtime: { node: process.versions.node },
    version: '1.2.3',
    env: { ...process.env, ...options.env },
    ...options.ports,
  })
  let disposed: Promise<void> | null = null
  const dispose = (): Promise<void> => (disposed ??= app.dispose())
  onTestFinished(dispose)
  const events: EventMessage[] = []
  const replies: CallReply[] = []
  let next = 0
  app.dispatcher.subscribe((event) => {
    ipcTopics[event.topic as TopicName].payload.parse(event.payload)
    events.push(event)
  })

  async function ask(method: string, input: unknown, id = String((next += 1))): Promise<CallReply> {
    const reply = await app.dispatcher.call('page', { id, method, input })
    if (reply.ok && isMethodName(method)) {
      const { output, isBinary: binary } = ipcMethods[method]
      output.parse(binary ? (reply.value as { meta: unknown }).meta : reply.value)
    }
    replies.push(reply)
    return reply
  }

  return {
    app,
    dataDir,
    events,
    replies,
    dispose,
    async call(method, input, id) {
      const reply = await ask(method, input, id)
      if (!reply.ok) throw fromWireError(reply.error)
      return reply.value as never
    },
    async callExpectingError(method, input) {
      const reply = await ask(method, input)
      if (reply.ok) throw new Error(`${method} succeeded`)
      return fromWireError(reply.error)
    },
  }
}

/** The text of every file below a directory. */
export function readAllFiles(dir: string): string {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
}
