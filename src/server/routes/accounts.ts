import {
  auditPage,
  auditQuery,
  keyAnswer,
  keyList,
  keyRequest,
  newKeyAnswer,
  newSecretAnswer,
  retentionAnswer,
  secretList,
  settingsAnswer,
  settingsChange,
} from '../../core/contract/account.ts';
import { deletedAnswer } from '../../core/contract/agent.ts';
import { createKey, listKeys, revokeKey, toKeyWire, toNewKeyWire } from '../../service/accounts.ts';
import { listAudit } from '../../service/audit-entry.ts';
import type { ServiceContext } from '../../service/context.ts';
import type { RetentionDays } from '../../service/retention.ts';
import { changeSettings } from '../../service/settings.ts';
import { createSigningSecret, deleteSigningSecret, listSigningSecrets } from '../../service/signatures.ts';
import { type Route, route } from '../route.ts';

const tag = 'Administration';

export function accountRoutes(context: ServiceContext, retention: RetentionDays): Route[] {
  return [
    ...keyRoutes(context),
    ...secretRoutes(context),
    ...settingRoutes(context),
    route({
      method: 'GET',
      path: '/v1/retention',
      access: 'pk',
      tag,
      summary: 'How long this server keeps what it is told; its configuration says so',
      answers: { 200: { description: 'Of each kind', schema: retentionAnswer } },
      handle: () => ({
        json: {
          keep_evaluations_days: retention.keepEvaluationsDays,
          keep_reputation_events_days: retention.keepReputationEventsDays,
          keep_audit_days: retention.keepAuditDays,
          keep_session_events_days: retention.keepSessionEventsDays,
          keep_signals_days: retention.keepSignalsDays,
          keep_session_scores_days: retention.keepSessionScoresDays,
        },
      }),
    }),
  ];
}

function keyRoutes(context: ServiceContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/keys',
      access: 'sk',
      tag,
      summary: 'List the keys of the org',
      answers: { 200: { description: 'Without the keys themselves', schema: keyList } },
      handle: async ({ caller }) => ({ json: await listKeys(context, caller) }),
    }),
    route({
      method: 'POST',
      path: '/v1/keys',
      access: 'sk',
      tag,
      summary: 'Make a key',
      body: keyRequest,
      answers: { 201: { description: 'The key, shown this once', schema: newKeyAnswer } },
      handle: async ({ caller, body }) => ({
        status: 201,
        json: toNewKeyWire(await createKey(context, caller, body.kind)),
      }),
    }),
    route({
      method: 'DELETE',
      path: '/v1/keys/:keyId',
      access: 'sk',
      tag,
      summary: 'Revoke a key',
      description: 'It stays in the list, and is refused from now on. Revoking again keeps the first time.',
      answers: { 200: { description: 'The revoked key', schema: keyAnswer } },
      handle: async ({ caller, params }) => ({
        json: toKeyWire(await revokeKey(context, caller, params.keyId)),
      }),
    }),
  ];
}

function secretRoutes(context: ServiceContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/signing-secrets',
      access: 'sk',
      tag,
      summary: 'List the signing secrets of the org',
      answers: { 200: { description: 'Without the secrets themselves', schema: secretList } },
      handle: async ({ caller }) => ({ json: await listSigningSecrets(context, caller) }),
    }),
    route({
      method: 'POST',
      path: '/v1/signing-secrets',
      access: 'sk',
      tag,
      summary: 'Make a signing secret',
      description:
        'The one before stays good until the next is made, so that it can be exchanged without a gap.',
      answers: { 201: { description: 'The secret, shown this once', schema: newSecretAnswer } },
      handle: async ({ caller }) => ({ status: 201, json: await createSigningSecret(context, caller) }),
    }),
    route({
      method: 'DELETE',
      path: '/v1/signing-secrets/:secretId',
      access: 'sk',
      tag,
      summary: 'Delete a signing secret',
      answers: { 200: { description: 'Gone', schema: deletedAnswer } },
      handle: async ({ caller, params }) => ({
        json: await deleteSigningSecret(context, caller, params.secretId),
      }),
    }),
  ];
}

function settingRoutes(context: ServiceContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/settings',
      access: 'sk',
      tag,
      summary: 'What the org has chosen',
      answers: { 200: { description: 'The settings', schema: settingsAnswer } },
      handle: async ({ caller }) => ({ json: await context.settings.read(caller.orgId) }),
    }),
    route({
      method: 'PATCH',
      path: '/v1/settings',
      access: 'sk',
      tag,
      summary: 'Change settings',
      body: settingsChange,
      answers: { 200: { description: 'The settings as they are now', schema: settingsAnswer } },
      handle: async ({ caller, body }) => ({ json: await changeSettings(context, caller, body) }),
    }),
    route({
      method: 'GET',
      path: '/v1/audit',
      access: 'sk',
      tag,
      summary: 'Who did what: keys, secrets, settings, agents, voids and deletions',
      query: auditQuery,
      answers: { 200: { description: 'A page, newest first', schema: auditPage } },
      handle: async ({ caller, query }) => ({ json: await listAudit(context, caller, query) }),
    }),
  ];
}
