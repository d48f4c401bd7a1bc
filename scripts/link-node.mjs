// Runs after npm ci, so that npm scripts run in the Node of the dependencies.
import { linkNode } from './lib/node.mjs'
import { root } from './lib/paths.mjs'

linkNode({ root, platform: process.platform, arch: process.arch })
