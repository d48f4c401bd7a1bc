export { readGuide, type GuideOp, type GuideReader, type Opening } from '../workers/guide-client.ts'
