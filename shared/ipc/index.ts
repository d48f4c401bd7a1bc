// The IPC contract between the page and the service process: methods, topics and their schemas. It
// holds no behaviour: handlers are in electron/handlers, transports in renderer/transport and
// electron. Read method-definition.ts first.

import { agentMethods, agentTopics } from './agents.ts'
import { appMethods, appTopics } from './app.ts'
import { breakpointMethods, breakpointTopics } from './breakpoints.ts'
import { bridgeMethods, bridgeTopics } from './bridge.ts'
import { callerMethods, panelMethods, panelTopics } from './panel.ts'
import { connectionMethods, connectionTopics } from './connection.ts'
import { consoleMethods } from './console.ts'
import { contentMethods } from './content.ts'
import { contractMethods, contractTopics } from './contract.ts'
import { contractSchemaMethods } from './contract-schemas.ts'
import type { InferInput, InferOutput, InferPayload } from './method-definition.ts'
import { findingsMethods, findingsTopics } from './findings.ts'
import { journalMethods } from './journal.ts'
import { labMethods } from './lab.ts'
import { listingMethods } from './listing.ts'
import { operationMethods, operationTopics } from './operations.ts'
import { profileMethods, profileTopics } from './profiles.ts'
import { clientProxyMethods, clientProxyTopics } from './client-proxy.ts'
import { recordingsMethods, recordingsTopics } from './recordings.ts'
import { settingsMethods, settingsTopics } from './settings.ts'
import { snapshotMethods, snapshotTopics } from './snapshots.ts'
import { trafficMethods, trafficTopics } from './traffic.ts'
import { updateMethods, updateTopics } from './updates.ts'
import { uploadMethods, uploadTopics } from './uploads.ts'

export const ipcMethods = {
  ...appMethods,
  ...settingsMethods,
  ...profileMethods,
  ...connectionMethods,
  ...bridgeMethods,
  ...callerMethods,
  ...consoleMethods,
  ...contentMethods,
  ...contractMethods,
  ...contractSchemaMethods,
  ...operationMethods,
  ...labMethods,
  ...listingMethods,
  ...agentMethods,
  ...journalMethods,
  ...clientProxyMethods,
  ...recordingsMethods,
  ...trafficMethods,
  ...snapshotMethods,
  ...panelMethods,
  ...breakpointMethods,
  ...findingsMethods,
  ...uploadMethods,
  ...updateMethods,
}

export const ipcTopics = {
  ...appTopics,
  ...settingsTopics,
  ...profileTopics,
  ...bridgeTopics,
  ...connectionTopics,
  ...contractTopics,
  ...operationTopics,
  ...agentTopics,
  ...clientProxyTopics,
  ...recordingsTopics,
  ...trafficTopics,
  ...snapshotTopics,
  ...panelTopics,
  ...breakpointTopics,
  ...findingsTopics,
  ...uploadTopics,
  ...updateTopics,
}

export type MethodName = keyof typeof ipcMethods
export type TopicName = keyof typeof ipcTopics
export type IpcInput<M extends MethodName> = InferInput<(typeof ipcMethods)[M]>
export type IpcOutput<M extends MethodName> = InferOutput<(typeof ipcMethods)[M]>
export type IpcPayload<T extends TopicName> = InferPayload<(typeof ipcTopics)[T]>

/** Checks own properties only, because `__proto__` and `constructor` are not methods. */
export function isMethodName(name: unknown): name is MethodName {
  return typeof name === 'string' && Object.hasOwn(ipcMethods, name)
}

export function isTopicName(name: unknown): name is TopicName {
  return typeof name === 'string' && Object.hasOwn(ipcTopics, name)
}
