import { agentMethods, agentTopics } from './agents.ts'
import { appMethods, appTopics } from './app.ts'
import { bridgeMethods, bridgeTopics } from './bridge.ts'
import { callerMethods, panelMethods, panelTopics } from './panel.ts'
import { connectionMethods, connectionTopics } from './connection.ts'
import { consoleMethods } from './console.ts'
import { contentMethods } from './content.ts'
import type { InputOf, OutputOf, PayloadOf } from './define.ts'
import { findingsMethods, findingsTopics } from './findings.ts'
import { journalMethods } from './journal.ts'
import { labMethods } from './lab.ts'
import { operationMethods, operationTopics } from './operations.ts'
import { profileMethods, profileTopics } from './profiles.ts'
import { recordingMethods, recordingTopics } from './recording.ts'
import { settingsMethods, settingsTopics } from './settings.ts'
import { trafficMethods, trafficTopics } from './traffic.ts'
import { updateMethods, updateTopics } from './updates.ts'
import { uploadMethods, uploadTopics } from './uploads.ts'

/** The whole contract between page and service process; both transports are derived from it. */
export const methods = {
  ...appMethods,
  ...settingsMethods,
  ...profileMethods,
  ...connectionMethods,
  ...bridgeMethods,
  ...callerMethods,
  ...consoleMethods,
  ...contentMethods,
  ...operationMethods,
  ...labMethods,
  ...agentMethods,
  ...journalMethods,
  ...recordingMethods,
  ...trafficMethods,
  ...panelMethods,
  ...findingsMethods,
  ...uploadMethods,
  ...updateMethods,
}

export const topics = {
  ...appTopics,
  ...settingsTopics,
  ...profileTopics,
  ...bridgeTopics,
  ...connectionTopics,
  ...operationTopics,
  ...agentTopics,
  ...recordingTopics,
  ...trafficTopics,
  ...panelTopics,
  ...findingsTopics,
  ...uploadTopics,
  ...updateTopics,
}

export type MethodName = keyof typeof methods
export type TopicName = keyof typeof topics
export type Input<M extends MethodName> = InputOf<(typeof methods)[M]>
export type Output<M extends MethodName> = OutputOf<(typeof methods)[M]>
export type Payload<T extends TopicName> = PayloadOf<(typeof topics)[T]>

/** Own properties only: `__proto__` and `constructor` are not methods. */
export function isMethodName(name: unknown): name is MethodName {
  return typeof name === 'string' && Object.hasOwn(methods, name)
}

export function isTopicName(name: unknown): name is TopicName {
  return typeof name === 'string' && Object.hasOwn(topics, name)
}
