export { readGuide, type GuideOp, type GuidePiece, type GuideReader, type Opening } from '../workers/guide-client.ts'
