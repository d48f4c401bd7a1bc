// After npm ci: the Node of the dependencies is the one that npm scripts run in.
import { linkNode } from './lib/node.mjs'
import { root } from './lib/paths.mjs'

linkNode({ root, platform: process.platform, arch: process.arch })
