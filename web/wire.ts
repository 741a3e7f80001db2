/** What the API answers, as its contract says. Types only: no schema goes into the bundle. */
import type { z } from 'zod';
import type {
  auditPage,
  keyList,
  newKeyAnswer,
  newSecretAnswer,
  retentionAnswer,
  secretList,
  settingsAnswer,
} from '../src/core/contract/account.ts';
import type { agentAnswer, agentCard } from '../src/core/contract/agent.ts';
import type {
  alertPage,
  alertTestAnswer,
  newWebhookAnswer,
  webhookList,
} from '../src/core/contract/alert.ts';
import type { checkAnswer } from '../src/core/contract/check.ts';
import type { evaluationPage, storedEvaluation } from '../src/core/contract/evaluation.ts';
import type { changesAnswer, compareAnswer, explainAnswer } from '../src/core/contract/explain.ts';
import type { suiteAnswer } from '../src/core/contract/gates.ts';
import type { overviewAnswer } from '../src/core/contract/overview.ts';
import type { receiptAnswer } from '../src/core/contract/receipt.ts';
import type { historyAnswer, reputationAnswer } from '../src/core/contract/reputation.ts';
import type { windowAnswer } from '../src/core/contract/reputation-window.ts';
import type { sessionAnswer, toolResultsAnswer } from '../src/core/contract/session.ts';
import type { dryRunAnswer, monitorPage, runAnswer } from '../src/core/contract/session-run.ts';
import type { scorePage, sessionPage, sessionScores } from '../src/core/contract/session-score.ts';
import type { sessionTraces } from '../src/core/contract/signal.ts';

export type { Me } from '../src/core/contract/sign-in.ts';

export type Overview = z.infer<typeof overviewAnswer>;
export type OverviewAgent = Overview['agents'][number];
export type Agent = z.infer<typeof agentAnswer>;
export type Card = z.infer<typeof agentCard>;
export type Reputation = z.infer<typeof reputationAnswer>;
export type History = z.infer<typeof historyAnswer>;
export type Window = z.infer<typeof windowAnswer>;
export type Changes = z.infer<typeof changesAnswer>;
export type Explanation = z.infer<typeof explainAnswer>;
export type Comparison = z.infer<typeof compareAnswer>;
export type Check = z.infer<typeof checkAnswer>;
export type Receipt = z.infer<typeof receiptAnswer>;
export type Evaluation = z.infer<typeof storedEvaluation>;
export type EvaluationPage = z.infer<typeof evaluationPage>;
export type SessionPage = z.infer<typeof sessionPage>;
export type SessionVerdicts = z.infer<typeof sessionAnswer>;
export type ToolResults = z.infer<typeof toolResultsAnswer>;
export type SessionScores = z.infer<typeof sessionScores>;
export type SessionTraces = z.infer<typeof sessionTraces>;
export type ScorePage = z.infer<typeof scorePage>;
export type Run = z.infer<typeof runAnswer>;
export type DryRun = z.infer<typeof dryRunAnswer>;
export type MonitorPage = z.infer<typeof monitorPage>;
export type Monitor = MonitorPage['items'][number];
export type AlertPage = z.infer<typeof alertPage>;
export type AlertTest = z.infer<typeof alertTestAnswer>;
export type WebhookList = z.infer<typeof webhookList>;
export type NewWebhook = z.infer<typeof newWebhookAnswer>;
export type KeyList = z.infer<typeof keyList>;
export type NewKey = z.infer<typeof newKeyAnswer>;
export type SecretList = z.infer<typeof secretList>;
export type NewSecret = z.infer<typeof newSecretAnswer>;
export type Settings = z.infer<typeof settingsAnswer>;
export type AuditPage = z.infer<typeof auditPage>;
export type GateSuite = z.infer<typeof suiteAnswer>;
export type Retention = z.infer<typeof retentionAnswer>;
