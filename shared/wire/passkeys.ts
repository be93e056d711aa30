import { s } from '../base/index.ts';
import type { Static } from '../base/index.ts';
import {
  handOverFields,
  invitedSchema,
  passkeyAddFields,
  passkeyInviteFields,
  passkeyRemoveFields,
} from '../engine/index.ts';

/** `POST /v1/passkeys/add`, `/invite`, `/remove` and `/hand-over`; `/v1/passkeys/nonce` takes nothing. */
export const passkeyAddSchema = s.object({
  ...passkeyAddFields,
  proof: s.union(passkeyAddFields.proof, invitedSchema),
});
export const passkeyInviteSchema = s.object(passkeyInviteFields);
export type PasskeyInvite = Static<typeof passkeyInviteSchema>;
export type PasskeyAdd = Static<typeof passkeyAddSchema>;
export const passkeyRemoveSchema = s.object(passkeyRemoveFields);
export type PasskeyRemove = Static<typeof passkeyRemoveSchema>;
export const handOverSchema = s.object(handOverFields);
export type HandOver = Static<typeof handOverSchema>;
export const passkeyNonceSchema = s.object({});

/** Answer of `POST /v1/passkeys/nonce`, and of `/v1/passkeys/invite`, whose nonce is good for the passkey of that invitation alone. */
export interface PasskeyNonceBody {
  readonly ok: true;
  readonly nonce: string;
}

/** Answer of `POST /v1/passkeys/add` and `/v1/passkeys/remove`. */
export interface PasskeyBody {
  readonly ok: true;
  /** Of the credential. */
  readonly id: string;
}
