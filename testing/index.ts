/**
 * The kit for the tests of a plugin: `bridge-inspector/testing`. It runs the services of the app
 * in the test's own process, without a page of ours and without Electron. Read `api.ts` first,
 * which describes it for its users, then `panel.ts`.
 */
export { startDemoHost } from './demo-host.ts'
export { formatFindings, toKeepContract } from './contract-matcher.ts'
export { hostApi } from './host-api.ts'
export { startPanel } from './panel.ts'
export { serveRecording } from './served-recording.ts'
export type * from './api.ts'
